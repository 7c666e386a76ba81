/**
 * Several resources for one person, all of them or none: a transaction (docs/specification.md#transactions).
 */
import { z } from 'zod';
import type { ReserveResult } from '../../contract/reservations.ts';
import { HoldfastError } from '../../domain/errors.ts';
import { MAX_NAME_LENGTH } from '../../domain/maxSizes.ts';
import { nameFault } from '../../domain/names.ts';
import { resourceStates } from '../../engine/reservations/states.ts';
import { requesterOf } from '../../engine/tenant/signIns.ts';
import { transaction } from '../../operations/reservations.ts';
import { NO_POLLING } from '../../operations/waiting.ts';
import type { DashboardDeps, Viewer } from '../env.ts';
import { check, refuseField } from '../form.ts';
import { transactionSchema } from '../formSchemas.ts';
import { type LeaseForm, leaseOf } from './lease.ts';

/** Resources that one form takes together. */
const MAX_TOGETHER = 20;

/** The names of a form or an address, each once. Empty fields are left out. */
export const Names = z
  .union([z.string().transform((one) => [one]), z.array(z.string())])
  .transform((all) => [...new Set(all.map((one) => one.trim()).filter((one) => one !== ''))])
  .pipe(z.array(z.string()).max(MAX_TOGETHER));

export interface Asked extends LeaseForm {
  readonly resource: readonly string[];
  readonly note?: string | undefined;
}

/** How a form that asks for several ended: all are held until a time (null: no end), or some are in the way. */
export type Outcome = { readonly until: string | null } | { readonly refused: readonly ReserveResult[] };

/**
 * Reserves all or none of the resources of a form for a person.
 * @throws HoldfastError refused if there are fewer than two, or one is not registered; unauthenticated, forbidden,
 * unavailable; LimitError
 */
export async function reserveTogether(deps: DashboardDeps, viewer: Viewer, asked: Asked): Promise<Outcome> {
  const { resource: names, note = '' } = asked;
  if (names.length < 2) refuseField('resource', 'name at least two');
  await refuseUnregistered(deps, viewer, names);
  const ttlSeconds = leaseOf(asked);
  const requests = names.map((resource) => ({
    requestType: 'RESERVE',
    resource,
    requester: requesterOf(viewer.user),
    ...(ttlSeconds !== undefined && { ttlSeconds }),
    // As for one: up to the moment from which it is booked.
    ...(ttlSeconds !== undefined && ttlSeconds > 1 && { minTtlSeconds: ttlSeconds - 1 }),
    ...(note !== '' && { note }),
  }));
  const both = check(transactionSchema(deps), { method: 'ALL_OR_NONE', requests });
  const { result } = await transaction(deps, viewer.credential, both, NO_POLLING);
  const results = result.results.flatMap((one) => ('releaseToken' in one ? [one] : []));
  if (result.status === 'APPLIED') return { until: results[0]?.expiresAt ?? null };
  return { refused: results.filter(({ explanation }) => explanation !== 'ROLLED_BACK') };
}

/** A name that is not registered is nearly always mistyped, and would be had at once. */
async function refuseUnregistered({ engine }: DashboardDeps, { credential }: Viewer, names: readonly string[]) {
  for (const name of names)
    if (nameFault(name, MAX_NAME_LENGTH) !== null) refuseField('resource', `“${name}” is not a name`);
  const states = await resourceStates(engine, credential, names, { slots: 0 });
  const missing = states.filter(({ isRegistered }) => !isRegistered).map(({ name }) => `“${name}”`);
  if (missing.length > 0)
    throw new HoldfastError('refused', `[0].resource: nothing is registered as ${missing.join(', ')}`);
}
