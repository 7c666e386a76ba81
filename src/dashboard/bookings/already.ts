/**
 * Finds out whether a requester has, or has booked, what they are about to book for the same time. Nothing forbids
 * that, but it is seldom meant.
 */
import type { BookingItem } from '../../contract/bookings.ts';
import type { Credential } from '../../domain/tenants.ts';
import type { Engine } from '../../engine/engine.ts';
import { readCare } from '../resource/careOf.ts';
import type { Stretch } from '../timeline/fit.ts';
import { type BookForm, timesOf } from './form.ts';
import { heldFor, readBookings, stretchOf } from './read.ts';

/** A reservation or booking of the requester at the time that the form asks for, in ms since 1970 UTC. */
export interface Already extends Stretch {
  readonly isHeld: boolean;
  readonly slot: string;
}

/** Returns the resource and the times of a form as one text. A form has that of the request it warned about. */
export function textOfWarned(form: BookForm): string {
  const { startMs, endMs } = timesOf(form, form.at);
  return [form.resource || form.name || form.pick, startMs, endMs].join();
}

/**
 * @param item the booking that a form asks for
 * @returns what its requester has then already; null: nothing, or the person was warned, or it is by labels or in place
 * of another booking
 */
export async function warningOf(
  engine: Engine,
  credential: Credential,
  form: BookForm,
  item: BookingItem | undefined,
): Promise<Already | null> {
  const isByName = item?.resource !== undefined && item.match === undefined;
  if (!isByName || form.instead !== '' || form.despite === textOfWarned(form)) return null;
  // If this fails, so does the booking, and says why.
  return alreadyAt(engine, credential, item).catch(() => null);
}

async function alreadyAt(engine: Engine, credential: Credential, item: BookingItem): Promise<Already | null> {
  const { resource = '', requester, start, end } = item;
  const [{ holds, resource: pool }, booked] = await Promise.all([
    readCare(engine, credential, resource),
    readBookings(engine, credential, { requester, from: start, to: end }),
  ]);
  const own = holds.find(({ hold, shares }) => [hold, ...shares].some(({ holder }) => holder === requester));
  const held = own && heldFor(own.hold);
  if (held !== undefined && held.toMs > start * 1000) return { isHeld: true, slot: own?.slot ?? pool, ...held };
  const same = booked.find((one) => one.resource === pool && one.state !== 'RUNNING');
  return same === undefined ? null : { isHeld: false, slot: same.slot, ...stretchOf(same) };
}
