/**
 * The results of batches, whole or minimal: `Prefer: return=minimal` leaves fields out
 * (docs/specification.md#minimal-results).
 */
import { z } from 'zod';
import { RenewResult, ReserveResult, UnreserveResult } from './reservations.ts';

const description = 'A result with `Prefer: return=minimal`.';

const MinimalReserveResult = ReserveResult.partial({
  resource: true,
  requester: true,
  explanation: true,
  releaseToken: true,
  expiresAt: true,
  acquiredSlots: true,
  acquiredBlockers: true,
  reservedAtPath: true,
  fencingToken: true,
}).meta({ id: 'MinimalReserveResult', description });
export const ReserveResults = z.union([z.array(ReserveResult), z.array(MinimalReserveResult)]);

const MinimalUnreserveResult = UnreserveResult.partial({
  resource: true,
  requester: true,
  explanation: true,
  released: true,
}).meta({ id: 'MinimalUnreserveResult', description });
export const UnreserveResults = z.union([z.array(UnreserveResult), z.array(MinimalUnreserveResult)]);

const MinimalRenewResult = RenewResult.partial({
  resource: true,
  requester: true,
  explanation: true,
  expiresAt: true,
}).meta({ id: 'MinimalRenewResult', description });
export const RenewResults = z.union([z.array(RenewResult), z.array(MinimalRenewResult)]);
