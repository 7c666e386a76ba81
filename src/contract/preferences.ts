/**
 * Preferences of the caller of a batch: a dry run (`dryRun`), or short results (`Prefer: return=minimal`).
 */
import { z } from 'zod';
import { RenewResult } from './renewals.ts';
import { ReserveResult, UnreserveResult } from './reservations.ts';

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
/**
 * The results of batches, whole or minimal: `Prefer: return=minimal` leaves fields out
 * (docs/specification.md#minimal-results).
 */
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

/** The query of calls that can be asked what they would do (docs/specification.md#asking-without-doing). */
export const DryRunQuery = z.object({
  dryRun: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((text) => text === 'true')
    .meta({
      type: 'boolean',
      default: false,
      description:
        'Only says what would happen now: nothing changes, and no result has a token. Costs one read for each item.',
    }),
});
