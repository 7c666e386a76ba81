/**
 * Reads how a resource is for a person: who has it, and whether they can (docs/specification.md#check).
 */
import type { CheckResult } from '../../contract/check.ts';
import { requesterOf } from '../../engine/tenant/signIns.ts';
import { check as checkState } from '../../operations/reservations.ts';
import type { DashboardDeps, Viewer } from '../env.ts';
import { check } from '../form.ts';
import { checkSchema } from '../formSchemas.ts';

/** Returns a function that reads it. @throws HoldfastError refused, unauthenticated, forbidden, unavailable */
export function stateReader(deps: DashboardDeps) {
  const Checks = checkSchema(deps);
  return async ({ user, credential }: Viewer, resource: string): Promise<CheckResult | null> => {
    const items = check(Checks, [{ resource, requester: requesterOf(user) }]);
    return (await checkState(deps, credential, items)).result[0] ?? null;
  };
}
