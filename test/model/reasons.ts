/**
 * Who is in the way, as the engine says, against the reservations of the model
 * (docs/specification.md#who-is-in-the-way).
 */
import { expect } from 'vitest';
import type { CheckResult } from '../../src/contract/check.ts';
import type { Reason } from '../../src/contract/reservationFields.ts';
import type { WaitingRequest } from '../../src/contract/waiting.ts';
import { iso, type State } from './state.ts';

type Holder = Reason['holders'][number];

/** Whether somebody holds a slot as the engine says: by that reservation, or at all if it does not know by which. */
const isTrue = ({ requester, resource, slot, since, until }: Holder, state: State): boolean =>
  state.reservations.some((one) => {
    const holds = [one.own, ...one.others].some((hold) => hold.slot === slot);
    if (one.requester !== requester || !holds) return false;
    if (since === null) return resource === null && until === null;
    return one.requestedName === resource && iso(one.reservedAt) === since && iso(state.endsAt(one)) === until;
  });

/** @param requesters who waits */
function expectTrue(reason: Reason, state: State, requesters: readonly string[]): void {
  const { kind, resource, holders, more, next } = reason;
  expect(
    holders.filter((holder) => !isTrue(holder, state)),
    'holders that hold nothing',
  ).toEqual([]);
  for (const { requester } of next) expect(requesters).toContain(requester);
  const isHeld = state.holds.some(({ slot, of, owner }) => {
    return (slot === resource || of === resource) && !owner.startsWith('system:');
  });
  if (kind !== 'QUEUE' && isHeld) expect(holders.length + more, 'number of holders').toBeGreaterThan(0);
}

/** Takes the reasons off results, once they are found to be true. */
export function withoutReasons<Row extends CheckResult | WaitingRequest>(
  rows: readonly Row[],
  state: State,
  requesters: readonly string[],
): Omit<Row, 'reason'>[] {
  return rows.map(({ reason, ...row }) => {
    if (reason !== undefined) expectTrue(reason, state, requesters);
    if ('reservable' in row && row.reservable === true) expect(reason).toBe(undefined);
    return row;
  });
}
