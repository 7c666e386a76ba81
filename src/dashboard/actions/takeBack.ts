/**
 * The form that takes back a release (undo.ts): it reserves the same again for the same person.
 */
import type { Context } from 'hono';
import type { ReserveResult } from '../../contract/reservations.ts';
import { HoldfastError } from '../../domain/errors.ts';
import { isOwn } from '../../operations/permissions.ts';
import { reserve } from '../../operations/reservations.ts';
import { NO_POLLING } from '../../operations/waiting.ts';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { type Attempt, attempt, check } from '../form.ts';
import { reserveSchema } from '../formSchemas.ts';
import { zoneOf } from '../zone.ts';
import { refusalOf } from './refusal.ts';

export const takeBackForm = (deps: DashboardDeps) => {
  const Reserves = reserveSchema(deps);

  /** Reserves again what the browser has just released, for the rest of its time. */
  return async (c: Context<DashboardEnv>, resource: string): Promise<Attempt<ReserveResult>> => {
    const { viewer } = c.var;
    const released = viewer.releases.find((one) => one.resource === resource && isOwn(viewer.user, one.requester));
    const restS = released?.untilMs == null ? null : Math.ceil((released.untilMs - Date.now()) / 1000);
    if (released === undefined || (restS !== null && restS < 1))
      return { ok: false, status: 409, fault: `“${resource}” was not taken back: it is too late for that.` };
    const { untilMs: _, ...item } = released;
    const tried = await attempt(deps, c, async () => {
      const items = check(Reserves, [{ ...item, ...(restS !== null && { ttlSeconds: restS }) }]);
      const [result] = (await reserve(deps, viewer.credential, items, NO_POLLING)).result;
      if (result === undefined) throw new HoldfastError('refused', 'it was not reserved');
      return result;
    });
    if (!tried.ok || tried.result.status === 'ACQUIRED' || tried.result.status === 'ALREADY_HAD') return tried;
    const { fault } = refusalOf(tried.result, null, zoneOf(c));
    return { ok: false, status: 409, fault: `Not taken back: ${fault}` };
  };
};
