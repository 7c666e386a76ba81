/**
 * Refuses operations to derived tokens: reset, register, delete, and operations on the tenant itself
 * (docs/specification.md#jwt-exchange).
 */
import { HoldfastError } from '../domain/errors.ts';
import type { Credential } from '../domain/tenants.ts';

/** @throws HoldfastError forbidden for a derived token */
export function refuseToken({ kind }: Credential): undefined {
  if (kind === 'token') throw new HoldfastError('forbidden', 'A derived token may not do this.');
}
