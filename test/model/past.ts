/**
 * The history against what is stored (docs/specification.md#history): whatever is gone since the last look has exactly
 * one entry, as it was, and nothing that is still held has one.
 */
import { expect } from 'vitest';
import type { ReserveItem, ReserveResult } from '../../src/contract/reservations.ts';
import { readPastEntry } from '../../src/engine/history/pastEntry.ts';
import { keepReset, oldest } from '../../src/engine/history/stream.ts';
import { newReleaseToken } from '../../src/engine/reservations/releaseToken.ts';
import { reserve } from '../../src/engine/reservations/reserve.ts';
import { readRecord } from '../../src/engine/reservations/slotRecord.ts';
import type { Issued } from '../../src/engine/waiting/call.ts';
import { waiting } from '../../src/engine/waiting/list.ts';
import type { RedisClient } from '../../src/redis/client.ts';
import type { RunningEngine } from '../support/engine.ts';
import { all } from '../support/listed.ts';
import type { Call } from './tickets.ts';

interface Look {
  /** Fencing token → requester and name. */
  readonly held: ReadonlyMap<number, string>;
  readonly last: string | undefined;
  /** Fencing tokens of all entries. */
  readonly ended: Set<number>;
}

const looks = new Map<string, Look>();

/**
 * @param slots the hash of slots
 * @throws if the history does not agree with it
 */
export async function comparePast(
  redis: RedisClient,
  tenant: string,
  slots: Readonly<Record<string, Buffer>>,
): Promise<void> {
  const { held: before, last, ended } = looks.get(tenant) ?? { held: new Map(), last: undefined, ended: new Set() };
  const held = new Map<number, string>();
  for (const [slot, record] of Object.entries(slots)) {
    const one = readRecord(slot, record);
    if (one !== null) held.set(one.fencingToken, `${one.requester} ${one.requestedName}`);
  }
  await keepReset(redis, tenant, { room: 1_000_000, most: 1_000_000 });
  const { entries } = await oldest(redis, tenant, last, 10_000);
  const found = new Map<number, string>();
  for (const one of entries) {
    const entry = readPastEntry(one);
    if (entry?.kind !== 'RESERVATION') continue;
    expect(ended.has(entry.number), `second entry of ${entry.number}`).toBe(false);
    ended.add(entry.number);
    found.set(entry.number, `${entry.requester} ${entry.requestedName ?? entry.resource}`);
  }
  const gone = [...before].filter(([fence]) => !held.has(fence));
  expect(
    gone.map(([fence]) => [fence, found.get(fence)]),
    'history',
  ).toEqual(gone);
  expect(
    [...found.keys()].filter((fence) => held.has(fence)),
    'entries of what is held',
  ).toEqual([]);
  looks.set(tenant, { held, last: entries.at(-1)?.id ?? last, ended });
}

/**
 * Repeats the items of a batch whose tickets have ended since its answer. A script settles the queue for a limited
 * time, so later ones may grant or end a ticket that it told of. An instance then sends these items again for the long
 * poll.
 */

type Answer = Pick<Issued<ReserveResult[]>, 'result' | 'tickets'>;

/**
 * Returns the answer to a batch, as it is once the queue is settled.
 * @param nowMs the tenant's time: a ticket that was continued with an end in the past ends with the next script
 */
export async function repeatEnded(
  { engine, credential }: RunningEngine,
  answer: Answer,
  items: readonly ReserveItem[],
  call: Call,
  among: readonly ReserveItem[],
  nowMs: number,
): Promise<Answer> {
  if (!answer.result.some(({ status }) => status === 'WAITING')) return answer;
  // Listing the queue settles it.
  const listed = (await all(waiting(engine, credential))).map(({ requester, resources, method }) =>
    JSON.stringify([requester, resources, method]),
  );
  const ended = [...answer.result.entries()].flatMap(([i, { requester, resource, waiting: standing }]) => {
    const mayWait = standing !== undefined && Date.parse(standing.until) > nowMs;
    return mayWait && !listed.includes(JSON.stringify([requester, [resource], null])) ? [i] : [];
  });
  if (ended.length === 0) return answer;
  const again = await reserve(
    engine,
    credential,
    ended.flatMap((i) => items[i] ?? []),
    { ...call, isContinuation: true, tokens: ended.map(newReleaseToken) },
    undefined,
    among,
  );
  const updated = <One>(before: readonly One[], after: readonly One[]) =>
    before.map((one, i) => after[ended.indexOf(i)] ?? one);
  return { result: updated(answer.result, again.result), tickets: updated(answer.tickets, again.tickets) };
}
