/**
 * Finds the person's bookings that they should look at: what they booked is out of service, or is not free in time.
 */
import type { Credential } from '../../domain/tenants.ts';
import type { Engine } from '../../engine/engine.ts';
import { resourceStates } from '../../engine/reservations/states.ts';
import { groupBy } from '../board/groupBy.ts';
import type { Trouble } from '../env.ts';
import { readBookings } from './read.ts';

const WEEK_S = 7 * 86_400;
/** The most bookings that are looked at. */
const MOST = 50;
/** The most slots of a pool whose condition is read. */
const SLOTS = 16;

/**
 * Looks at the bookings of some requesters that begin within a week and have not begun. Without any, it costs a call
 * for each requester.
 * @returns one for each slot, in order of their start
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function readTroubles(
  engine: Engine,
  credential: Credential,
  requesters: readonly string[],
): Promise<Trouble[]> {
  const to = Math.ceil(Date.now() / 1000) + WEEK_S;
  const all = await Promise.all(
    requesters.map((requester) => readBookings(engine, credential, { requester, to }, MOST)),
  );
  const ahead = all
    .flat()
    .filter(({ state }) => state !== 'RUNNING')
    .sort((one, other) => Date.parse(one.start) - Date.parse(other.start));
  if (ahead.length === 0) return [];
  const names = [...new Set(ahead.map(({ resource }) => resource))];
  const states = await resourceStates(engine, credential, names, { slots: SLOTS });
  const conditions = states.flatMap(({ notReady }) => notReady);
  const out = new Map(conditions.filter(({ condition }) => condition === 'out').map((one) => [one.slot, one]));
  const troubled = ahead.filter(({ slot, state }) => state === 'DELAYED' || out.has(slot));
  return [...groupBy(troubled, ({ slot }) => slot)].flatMap(([slot, [booking, ...later]]) =>
    booking === undefined ? [] : [{ booking, later: later.length, out: out.get(slot) ?? null }],
  );
}
