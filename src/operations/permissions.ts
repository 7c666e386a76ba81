/**
 * Operations that a derived token may not carry out: reset, register, delete, and all that concerns the tenant as a
 * whole (docs/specification.md#identity).
 */
import { HoldfastError } from '../domain/errors.ts';
import type { Credential } from '../domain/tenants.ts';

/** @throws HoldfastError forbidden for a derived token */
export function refuseToken({ kind }: Credential): void {
  if (kind === 'token') throw new HoldfastError('forbidden', 'A derived token may not do this.');
}
