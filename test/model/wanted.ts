/**
 * Whom the model tells that somebody waits (docs/specification.md#event-types): after each step, the events `WANTED`
 * have to follow from what the tickets waited for before and after it.
 */
import { expect } from 'vitest';
import { waiting } from '../../src/engine/waiting/list.ts';
import type { Listened, Told } from '../support/announcements.ts';
import { all } from '../support/listed.ts';
import type { Reservation } from './state.ts';
import type { WaitingModel } from './waitingModel.ts';
import type { Compare } from './waitingQueue.ts';

/** Returns what compares the events of a step, to be called after each. */
export const watchWanted =
  (tenant: Listened) =>
  (model: WaitingModel): Compare => {
    const { engine, credential } = tenant.running;
    /** Fencing tokens of the reservations whose holders were told. */
    const told = new Set<number>();
    /** What each ticket waited for before the step, and the reservations that there were. */
    let [before, had] = [new Map<number, string>(), new Map<number, Reservation>()];

    return async () => {
      const events = await tenant.told();
      const rows = await all(waiting(engine, credential));
      const now = new Map(model.queue.map(({ id }, i) => [id, rows[i]?.waitsFor ?? '']));
      const changed = [...now].filter(([id, waitsFor]) => before.get(id) !== waitsFor).map(([, waitsFor]) => waitsFor);
      const haveEnded = [...before.keys()].some((id) => !now.has(id)) || events.some(isEndOfWait);
      const reservations = new Map([...had, ...model.reservations.map((one) => [one.fence, one] as const)]);

      for (const event of events.filter(({ type }) => type === 'WANTED')) {
        const about = reservations.get(event.fencingToken ?? 0);
        expect(told, `told again: ${JSON.stringify(event)}`).not.toContain(event.fencingToken);
        expect(about?.details.mode, `of a shared hold: ${JSON.stringify(event)}`).toBeUndefined();
        expect(event).toMatchObject({ resource: about?.requestedName, requester: about?.requester });
        if (!haveEnded) expectReason(event, about, changed, [...now.values()]);
        told.add(event.fencingToken ?? 0);
      }
      for (const waitsFor of changed) {
        const holder = holderOf(model, waitsFor);
        // One that was made in this step may have got the slot after the ticket came to wait for it.
        if (holder !== undefined && had.has(holder.fence))
          expect([...told], `told of ${waitsFor}: ${JSON.stringify(holder)}`).toContain(holder.fence);
      }
      before = now;
      had = new Map(model.reservations.map((one) => [one.fence, one]));
    };
  };

const isEndOfWait = ({ type }: Told): boolean => type === 'WAIT_ENDED';

/** Expects an event to tell of tickets that have come to wait for what its reservation holds. */
function expectReason(event: Told, about: Reservation | undefined, changed: string[], waitsFor: string[]): void {
  const slots = about === undefined ? [] : slotsOf(about);
  const [slot, ...others] = slots.filter((one) => changed.includes(one));
  expect(slot, `nobody came to wait for ${slots}: ${JSON.stringify(event)}`).toBeDefined();
  if (others.length > 0 || changed.filter((one) => one === slot).length > 1) return;
  expect(event.waiting, `tickets that wait for ${slot}`).toBe(waitsFor.filter((one) => one === slot).length);
}

/** The slots that a reservation itself holds. */
const slotsOf = ({ own, details }: Reservation): string[] => details.slots ?? [own.slot];

/** The reservation that itself holds a single slot EXCLUSIVE. */
function holderOf(model: WaitingModel, waitsFor: string): Reservation | undefined {
  const { resource = waitsFor, slot } = model.meaning(waitsFor) ?? {};
  if (slot === undefined && model.capacityOf(resource) > 1) return undefined;
  return model.reservations.find((one) => one.details.mode !== 'SHARED' && slotsOf(one).includes(waitsFor));
}
