/**
 * How far the readers of an outbox have come (docs/specification.md#outbox).
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { maskOf } from '../../src/domain/eventTypes.ts';
import {
  dropCursor,
  finishBatch,
  type Lease,
  moveSlowest,
  retryBatch,
  startCursor,
  storeBatch,
  type Taken,
  takeBatch,
} from '../../src/engine/notices/cursors.ts';
import { outboxState } from '../../src/engine/notices/outboxState.ts';
import { loadTenant } from '../../src/engine/tenant/record.ts';
import { configuredTenants } from '../../src/identity/configured.ts';
import { tenantKey } from '../../src/redis/keys.ts';
import { setClock } from '../support/clock.ts';
import { type RunningEngine, startEngine } from '../support/engine.ts';
import { changeHot, hotOf } from '../support/hotRecord.ts';
import { makeConfiguredKey, makeTenant } from '../support/service.ts';
import { until } from '../support/until.ts';
import { reserve } from '../support/verbs.ts';

const DAY_MS = 24 * 3_600_000;
const LEASE_MS = 15_000;

/** Ids of entries have the real time. */
let START = 0;
let running: RunningEngine;
let tenant: string;
let one: Lease;
let other: Lease;
const key = makeConfiguredKey(makeTenant());
const redis = () => running.engine.redis;
beforeAll(async () => {
  running = await startEngine(key.tenant, undefined, undefined, {}, key);
  tenant = key.tenant;
});
afterAll(() => running.stop());
beforeEach(async () => {
  const record = configuredTenants([key]).get(tenant);
  if (record === undefined) throw new Error('no record');
  await redis().del(tenantKey(tenant), `{${tenant}}:cursors`, `{${tenant}}:outbox`, `{${tenant}}:slots`);
  await loadTenant(redis(), { ...record, notices: { types: maskOf(['*']), personTypes: 0 } }, NOTHING);
  START = Date.now();
  await setClock(redis(), tenant, START);
  one = { tenant, reader: randomUUID(), owner: 'worker-1' };
  other = { tenant, reader: randomUUID(), owner: 'worker-2' };
  for (const { reader } of [one, other]) await startCursor(redis(), tenant, reader, 'end', false);
});
const NOTHING = { definitionsVersion: 0, lease: null };

/** Makes events, one a call. */
const happen = async (count = 1) => {
  for (let i = 0; i < count; i++)
    await reserve(running.engine, running.credential, [{ resource: randomUUID(), requester: 'a' }]);
};
const take = async (lease: Lease, most = 1000, version = '0') => {
  const found = await takeBatch(redis(), lease, LEASE_MS, most, version);
  return found === 'nothing' ? null : found;
};
const taken = async (lease: Lease, most?: number): Promise<Taken> => {
  const found = await take(lease, most);
  if (found === null || found === 'changed') throw new Error('there is nothing');
  return found;
};
const finish = async (lease: Lease) => {
  const { entries } = await taken(lease);
  await finishBatch(redis(), lease, entries.at(-1) ?? entries[0]);
};
const missed = async (lease: Lease) => (await taken(lease)).entries.map((entry) => entry.missed);
/** Makes the outbox believe that it has so many entries. */
const setEntries = async (entries: number) => {
  const { box } = await hotOf(redis(), tenant);
  if (box === null) throw new Error('there is no outbox');
  await changeHot(redis(), tenant, { box: { ...box, entries } });
};
const kept = async () => (await outboxState(redis(), tenant)).entries;

describe('a lease', () => {
  test('keeps other workers off until it ends; its owner may take the same again', async () => {
    await happen(2);
    const rival = { ...one, owner: 'worker-3' };
    expect((await taken(one)).entries).toHaveLength(2);
    expect((await taken(one)).entries).toHaveLength(2);
    expect(await take(rival)).toBeNull();
    await setClock(redis(), tenant, START + LEASE_MS);
    expect((await taken(rival)).entries).toHaveLength(2);
    // Who has lost it changes nothing.
    const [entry] = (await taken(rival)).entries;
    expect(await storeBatch(redis(), one, LEASE_MS, { webhookId: 'm', choice: '' }, entry, 0)).toBe(false);
    expect(await finishBatch(redis(), one, entry)).toBe(false);
    await retryBatch(redis(), one, 0, { isFailure: true });
    expect(await taken(rival)).toMatchObject({ failures: 0 });
  });

  test('four readers of a tenant may have one at a time', async () => {
    await happen();
    const leases = Array.from({ length: 5 }, (_, i) => ({ tenant, reader: `r${i}`, owner: `w${i}` }));
    for (const { reader } of leases) await startCursor(redis(), tenant, reader, 'start', false);
    const took = [];
    for (const lease of leases) took.push((await take(lease)) !== null);
    expect(took).toEqual([true, true, true, true, false]);
  });
});

test('a worker gets nothing if the record has changed since it read what the reader wants', async () => {
  await happen();
  expect(await take(one, 1, '1')).toBe('changed');
  await redis().hset(tenantKey(tenant), 'version', '1');
  expect(await take(one)).toBe('changed');
  expect(await take(one, 1, '1')).toMatchObject({ entries: { length: 1 } });
});

describe('a stored batch', () => {
  test('is what the next one takes, with its id, choice and failures, whatever has happened since', async () => {
    await happen(3);
    const [first, second] = (await taken(one)).entries;
    if (second === undefined) throw new Error('there is one entry');
    expect(await storeBatch(redis(), one, LEASE_MS, { webhookId: 'msg', choice: '{"a":\n1}' }, second, 100)).toBe(true);
    await retryBatch(redis(), one, 5000, { isFailure: true });
    await happen();
    const next = { ...one, owner: 'worker-9' };
    expect(await take(next)).toBeNull();
    await setClock(redis(), tenant, START + 5000);
    expect(await taken(next)).toMatchObject({
      stored: { webhookId: 'msg', choice: '{"a":\n1}' },
      failures: 1,
      failingMs: 5000,
      isAll: true,
      entries: [{ id: first.id }, { id: second.id }],
    });
    await finishBatch(redis(), next, second);
    expect(await taken(next)).toMatchObject({ stored: null, failures: 0, failingMs: 0, entries: { length: 2 } });
  });

  test('stays without an attempt, which is no failure', async () => {
    await happen();
    const { entries } = await taken(one);
    await storeBatch(redis(), one, LEASE_MS, { webhookId: 'msg', choice: '' }, entries[0], 0);
    await retryBatch(redis(), one, 1000, { isFailure: false });
    await happen();
    expect(await take(one)).toBeNull();
    await setClock(redis(), tenant, START + 1000);
    expect(await taken(one)).toMatchObject({ stored: { webhookId: 'msg' }, failures: 0, entries: { length: 1 } });
  });

  test('keeps the next one back, so that batches have a pace: late ones are made up for by 200 ms at most', async () => {
    const batch = async () => {
      await happen();
      const { entries } = await taken(one);
      await storeBatch(redis(), one, LEASE_MS, { webhookId: 'msg', choice: '' }, entries[0], 1000);
      await finishBatch(redis(), one, entries[0]);
      return (await outboxState(redis(), tenant, START)).cursors.get(one.reader)?.waitMs;
    };
    expect(await batch()).toBe(800);
    await happen();
    expect(await take(one)).toBeNull();
    await setClock(redis(), tenant, START + 850);
    await finish(one);
    expect(await batch()).toBe(1800);
    await setClock(redis(), tenant, START + 5000);
    expect(await batch()).toBe(5800);
  });
});

describe('entries', () => {
  test('are kept until all readers are done with them', async () => {
    await happen(3);
    await finish(one);
    expect(await kept()).toBe(3);
    await finish(other);
    expect(await kept()).toBe(0);
    expect(await outboxState(redis(), tenant)).toMatchObject({ bytes: 0 });
  });

  test('that only a deleted reader had not read are deleted with it', async () => {
    await happen(3);
    await finish(one);
    await dropCursor(redis(), tenant, other.reader);
    expect(await kept()).toBe(0);
  });

  test('are taken as many as asked for, and at most about 1 MiB, in order', async () => {
    await happen(25);
    const first = await taken(one, 10);
    expect([first.entries.length, first.isAll]).toEqual([10, false]);
    const all = await taken(one);
    expect([all.entries.length, all.isAll]).toEqual([25, true]);
    expect(all.entries.slice(0, 10)).toEqual(first.entries);
    const changes = Array.from({ length: 500 }, (_, i) => ({ resource: `${i}`.padEnd(200, '-'), requester: 'a' }));
    for (let i = 0; i < 8; i++) {
      const items = changes.map((item) => ({ ...item, resource: `${i}${item.resource}` }));
      await reserve(running.engine, running.credential, items);
    }
    const large = await taken(one);
    const bytes = large.entries.reduce((sum, { lines }) => sum + lines.join('').length, 0);
    expect(large.isAll).toBe(false);
    expect(bytes).toBeGreaterThan(1_000_000);
    expect(bytes).toBeLessThan(2_000_000);
  });
});

describe('what is missing', () => {
  test('is told in its place with its number, if events found no room', async () => {
    await happen();
    await setEntries(10_000);
    await happen(7);
    await finish(one);
    await finish(other);
    expect(await missed(one)).toEqual([7]);
    await happen();
    expect(await missed(one)).toEqual([7, 0]);
  });

  test('is told with null to a reader whose cursor was lost, or that begins again', async () => {
    await happen(2);
    await dropCursor(redis(), tenant, one.reader);
    await startCursor(redis(), tenant, one.reader, 'start', true);
    expect(await missed(one)).toEqual([null, 0]);
    await dropCursor(redis(), tenant, one.reader);
    await startCursor(redis(), tenant, one.reader, 'end', true);
    expect(await missed(one)).toEqual([null]);
  });
});

describe('readers that are far behind', () => {
  /** Makes three days pass for what has happened so far. */
  const age = async () => {
    const nowMs = Date.now() + 1 + 3 * DAY_MS;
    await setClock(redis(), tenant, nowMs);
    await until('a new entry is newer', () => Date.now() > nowMs - 3 * DAY_MS);
    return nowMs;
  };

  test('are moved on if entries are older than three days, and are told how many events they missed', async () => {
    await happen(5);
    await finish(one);
    const nowMs = await age();
    await happen(2);
    expect((await outboxState(redis(), tenant, nowMs)).mayBeFull).toBe(true);
    expect(await moveSlowest(redis(), tenant)).toBe(2);
    expect(await missed(other)).toEqual([5, 0]);
    expect(await missed(one)).toEqual([0, 0]);
  });

  test('are moved on if the outbox is three quarters full: about half of it is kept', async () => {
    await happen(50);
    expect(await moveSlowest(redis(), tenant)).toBe(0);
    await setEntries(7500);
    expect(await moveSlowest(redis(), tenant)).toBe(2);
    expect(await kept()).toBeGreaterThan(10);
    expect(await kept()).toBeLessThan(40);
    expect((await missed(one))[0]).toBe(50 - (await kept()));
  });

  test('lose their stored batch, and what they still finish moves them back by nothing', async () => {
    await happen(5);
    const { entries } = await taken(one);
    await storeBatch(redis(), one, LEASE_MS, { webhookId: 'msg', choice: '' }, entries[0], 0);
    await age();
    await happen();
    await moveSlowest(redis(), tenant);
    await finishBatch(redis(), one, entries[0]);
    expect(await taken(one)).toMatchObject({ stored: null, entries: [{ missed: 5 }] });
  });
});
