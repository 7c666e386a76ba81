/** Random calls of one client, for tests of the mirror, and what the service says is held, as a mirror has it. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { Mirror } from '../../../packages/client/src/events/mirror.ts';
import type { MirroredReservation } from '../../../packages/client/src/events/reservations.ts';
import type { ReserveItem } from '../../../src/contract/reservations.ts';
import type { Client } from '../../support/client.ts';
import { begin, end } from '../../support/sessions.ts';
import { until } from '../../support/until.ts';

const byToken = (a: MirroredReservation, b: MirroredReservation) => a.fencingToken - b.fencingToken;

export async function held(caller: Client): Promise<MirroredReservation[]> {
  const { body } = await caller.active();
  const rows = body.map(
    ({ resource, requester, reservedAt, expiresAt, acquiredSlots, fencingToken, slots, mode, note, session }) => ({
      resource,
      requester,
      reservedAt,
      // No event tells that a session was renewed.
      expiresAt: session === undefined ? expiresAt : 'that of its session',
      acquiredSlots,
      fencingToken,
      ...(slots && { slots }),
      ...(mode === 'SHARED' && { mode }),
      ...(note !== undefined && { note }),
    }),
  );
  return rows.sort(byToken);
}

export const inside = (mirror: Mirror): MirroredReservation[] =>
  [...mirror.entries()].flatMap(([, reservations]) => reservations).sort(byToken);

/** Waits until the mirror has what the service says; else shows the difference. */
export async function expectSame(mirror: Mirror, caller: Client): Promise<void> {
  const pair = async () => {
    const expected = await held(caller);
    const ofSession = new Set(
      expected.filter(({ expiresAt }) => expiresAt?.startsWith('that')).map((r) => r.fencingToken),
    );
    const actual = inside(mirror).map((r) =>
      ofSession.has(r.fencingToken) ? { ...r, expiresAt: 'that of its session' } : r,
    );
    return { actual, expected };
  };
  // The last look is compared, not a new one: a lease may end between them.
  let last = await pair();
  const isSame = async () => {
    last = await pair();
    return isDeepStrictEqual(last.actual, last.expected);
  };
  await until('the mirror to be as the service is', isSame).catch(() => {});
  expect(last.actual).toEqual(last.expected);
}

export async function tokenOf(caller: Client, item: ReserveItem): Promise<string> {
  const { body } = await caller.reserve(item);
  return String(body[0]?.releaseToken);
}

const pick = <T>(of: readonly [T, ...T[]]): T => of[Math.floor(Math.random() * of.length)] ?? of[0];

/** Names, and further names under which what they hold can be released. */
const NAMES: readonly [readonly [string, ...string[]], ...(readonly [string, ...string[]])[]] = [
  ['printer'],
  ['scanner'],
  ['a>b'],
  ['Room', 'House>Room', 'Room_0', 'Room_1'],
  ['House>Room', 'Room', 'Room_2'],
  ['Room_1'],
  ['phones', 'phones_0', 'phones_1'],
  ['House'],
];

/** Reserves, renews and releases in each way that there is, until it is over. Sessions that it begins are ended. */
export async function traffic(caller: Client, isOver: () => boolean): Promise<void> {
  const requester = pick(['ann', 'bob', 'eve', 'joe']);
  const tokens: { names: readonly [string, ...string[]]; releaseToken: string }[] = [];
  const keep = (names: readonly [string, ...string[]], releaseToken: string | null | undefined) => {
    if (releaseToken) tokens.push({ names, releaseToken });
  };
  const item = (name: string) => ({
    resource: name,
    requester,
    ...(Math.random() < 0.7 && { ttlSeconds: pick([1, 60, 600]) }),
    ...(name === 'phones' && { count: pick([1, 2]) }),
    ...(name === 'scanner' && { mode: 'SHARED' as const }),
    ...(Math.random() < 0.3 && { note: 'why' }),
  });
  const reserve = async (names = pick(NAMES), more = {}) => {
    const { body } = await caller.reserve({ ...item(names[0]), ...more });
    keep(names, body[0]?.releaseToken);
  };
  const waitForTurn = () => reserve(pick(NAMES), { waitSeconds: 1 });
  const release = async () => {
    const one = tokens.splice(Math.floor(Math.random() * tokens.length), 1)[0];
    if (one) await caller.unreserve({ resource: pick(one.names), requester, releaseToken: one.releaseToken });
  };
  const renew = async () => {
    const one = tokens.at(Math.floor(Math.random() * tokens.length));
    if (one)
      await caller.renew({
        resource: one.names[0],
        requester,
        releaseToken: one.releaseToken,
        ttlSeconds: pick([1, 90]),
      });
  };
  const transact = async () => {
    const releases = tokens.splice(0, 2).map(({ names, releaseToken }) => ({
      requestType: 'UNRESERVE' as const,
      resource: pick(names),
      requester,
      releaseToken,
    }));
    const wanted = [pick(NAMES), pick(NAMES)];
    const reserves = wanted.map((names) => ({ requestType: 'RESERVE' as const, ...item(names[0]) }));
    const { body } = await caller.transaction(pick(['ALL_OR_NONE', 'AS_MANY_AS_POSSIBLE']), ...releases, ...reserves);
    for (const [i, names] of wanted.entries()) {
      const result = body.results[releases.length + i];
      if (result && 'releaseToken' in result) keep(names, result.releaseToken);
    }
  };
  const session = async () => {
    const begun = await begin(caller, requester);
    await caller.reserve({ resource: pick(['x', 'y', 'z']), requester, session: begun.session });
    if (Math.random() < 0.7) await end(caller, begun);
  };
  const acts = [reserve, reserve, reserve, waitForTurn, release, release, renew, transact, transact, session] as const;
  while (!isOver()) {
    await (Math.random() < 0.01 ? caller.reset() : pick(acts)());
  }
}
