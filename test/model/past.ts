/**
 * The history against what is stored (docs/specification.md#history): whatever is gone since the last look has exactly
 * one entry, as it was, and nothing that is still held has one.
 */
import { expect } from 'vitest';
import { readPastEntry } from '../../src/engine/history/pastEntry.ts';
import { keepReset, oldest } from '../../src/engine/history/stream.ts';
import { readRecord } from '../../src/engine/reservations/slotRecord.ts';
import type { RedisClient } from '../../src/redis/client.ts';

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
