/**
 * docs/specification.md#outbox: what scripts write to a tenant's outbox, in the step that changes the state.
 */
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { NOW, register } from '../../../src/engine/definitions/changes.ts';
import { setCondition } from '../../../src/engine/reservations/conditions.ts';
import { purgeTenant } from '../../../src/engine/tenant/record.ts';
import { setClock } from '../../support/clock.ts';
import { type RunningEngine, startEngine } from '../../support/engine.ts';
import { changeHot, hotOf } from '../../support/hotRecord.ts';
import { boxOf, entriesIn, outboxKey, typesIn, wantEvents } from '../../support/outbox.ts';
import { redisAddress } from '../../support/redisAddress.ts';
import { scriptCommands } from '../../support/scriptCommands.ts';
import { renew, reserve, reset, transaction, unreserve } from '../../support/verbs.ts';

let running: RunningEngine;
beforeEach(async () => {
  running = await startEngine();
});
afterEach(() => running.stop());

const tenantOf = () => running.credential.tenant;
const entries = () => entriesIn(running.engine.redis, tenantOf());
const types = () => typesIn(running.engine.redis, tenantOf());
const box = () => boxOf(running.engine.redis, tenantOf());

/** Reserves a resource, and returns its item to release it. */
async function hold(resource: string, requester = 'ann', more: { ttlSeconds?: number; note?: string } = {}) {
  const [held] = await reserve(running.engine, running.credential, [{ resource, requester, ...more }]);
  return { resource, requester, releaseToken: held?.releaseToken ?? '' };
}
const release = (items: Awaited<ReturnType<typeof hold>>[]) => unreserve(running.engine, running.credential, items);

describe('a call adds one entry with the events that it publishes', () => {
  test.each([
    ['alone', undefined],
    ['beside an open stream', 4_000_000_000_000],
  ])('as streams get them, %s', async (_, listenUntil) => {
    const { redis } = running.engine;
    await wantEvents(running, { types: ['*'] });
    const listener = new Redis(redisAddress(inject('redisUrl')));
    const messages: string[] = [];
    listener.on('smessage', (_: string, message: string) => messages.push(message));
    await listener.ssubscribe(`{${tenantOf()}}:events`);
    if (listenUntil !== undefined) await changeHot(redis, tenantOf(), { listenUntil, publisher: 'p' });
    const plain = await hold('a "b"', 'ann', { ttlSeconds: 60 });
    await hold('a "b"', 'bob');
    const noted = await hold('noted', 'ann', { note: 'say "why"' });
    await renew(running.engine, running.credential, [{ ...plain, ttlSeconds: 120 }]);
    await release([plain, noted]);
    expect((await entries()).map(({ lines }) => lines.map(({ type }) => type))).toEqual([
      ['RESERVED'],
      ['RESERVE_FAILED'],
      ['RESERVED'],
      ['RENEWED'],
      ['UNRESERVED', 'UNRESERVED'],
    ]);
    const sent = messages.flatMap((message) =>
      message
        .split('\n')
        .slice(1)
        .map((line): unknown => JSON.parse(line)),
    );
    const boxed = (await entries()).flatMap(({ lines }) => lines);
    expect(sent).toEqual(listenUntil === undefined ? [] : boxed);
    expect(boxed[0]).toMatchObject({ resource: 'a "b"', requester: 'ann', apiKeyLabel: 'worker' });
    expect(boxed[2]).toMatchObject({ resource: 'noted', note: 'say "why"' });
    expect(await hotOf(redis, tenantOf())).toMatchObject({ messages: listenUntil === undefined ? 0 : 5 });
    listener.disconnect();
  });

  test('with the time of the change, and the number of the events before it', async () => {
    await wantEvents(running, { types: ['*'] });
    await setClock(running.engine.redis, tenantOf(), Date.UTC(2055, 0, 1));
    const items = [await hold('a'), await hold('b')];
    await release(items);
    const all = await entries();
    expect(all.map(({ ms }) => ms)).toEqual([1, 2, 3].map(() => Date.UTC(2055, 0, 1)));
    expect(all.map(({ events }) => events)).toEqual([0, 1, 2]);
    const { entries: kept, events, from, to, missed } = await box();
    const bytes = all.reduce((sum, one) => sum + one.bytes + 64, 0);
    expect({ kept, events, from, to, missed }).toEqual({ kept: 3, events: 4, from: 0, to: bytes, missed: 0 });
  });

  test('in the order of the stream: a transaction comes before the condition that it changed', async () => {
    const { engine, credential } = running;
    await wantEvents(running, { types: ['TRANSACTION_APPLIED', 'CONDITION'] });
    const bench = { name: 'bench', capacity: 1, blocks: [], treePath: null };
    await register(engine, credential, [bench], NOW);
    const held = await hold('bench');
    const back = { requestType: 'UNRESERVE' as const, ...held, condition: 'dirty' as const };
    await transaction(engine, credential, 'ALL_OR_NONE', [back]);
    expect((await entries()).map(({ lines }) => lines.map(({ type }) => type))).toEqual([
      ['TRANSACTION_APPLIED', 'CONDITION'],
    ]);
  });

  test('of what is due, of conditions and of a reset', async () => {
    const { engine, credential } = running;
    await wantEvents(running, { types: ['*'] });
    await register(engine, credential, [{ name: 'bench', capacity: 1, blocks: [], treePath: null }], NOW);
    const at = Date.UTC(2055, 0, 1);
    await setClock(engine.redis, tenantOf(), at);
    await hold('short', 'ann', { ttlSeconds: 1 });
    await setClock(engine.redis, tenantOf(), at + 2000);
    await hold('other');
    await setCondition(engine, credential, [{ resource: 'bench', condition: 'out', reason: 'broken' }]);
    await reset(engine, credential);
    expect(await types()).toEqual(['RESERVED', 'RESERVATION_EXPIRED', 'UNRESERVED', 'RESERVED', 'CONDITION', 'RESET']);
  });

  test('none for what was rolled back', async () => {
    const { engine, credential } = running;
    await wantEvents(running, { types: ['*'] });
    await hold('taken');
    const requests = ['free', 'taken'].map((resource) => ({
      requestType: 'RESERVE' as const,
      resource,
      requester: 'bob',
    }));
    await transaction(engine, credential, 'ALL_OR_NONE', requests);
    expect(await types()).toEqual(['RESERVED', 'TRANSACTION_ROLLED_BACK']);
  });
});

describe('an outbox costs one command of Redis a call, and no other tenant anything', () => {
  test('a reserve and a release run the same commands with it, and an XADD each', async () => {
    const cycle = async () => {
      const work = async () => release([await hold('a')]);
      const commands = await scriptCommands(inject('redisUrl'), tenantOf(), work);
      // The history is trimmed now and then.
      return commands.filter((one) => one !== 'xtrim history');
    };
    await hold('first');
    const without = await cycle();
    await wantEvents(running, { types: ['*'] });
    const withOutbox = await cycle();
    expect(without).not.toContain('xadd outbox');
    expect(withOutbox.filter((one) => one === 'xadd outbox')).toHaveLength(2);
    expect(withOutbox.filter((one) => one !== 'xadd outbox')).toEqual(without);
  });
});

describe('only wanted events are added', () => {
  test('those of the types in the mask', async () => {
    await wantEvents(running, { types: ['UNRESERVED', 'RESET'] });
    await release([await hold('a'), await hold('b')]);
    await reset(running.engine, running.credential);
    expect(await types()).toEqual(['UNRESERVED', 'UNRESERVED', 'RESET']);
    expect((await box()).events).toBe(3);
  });

  test('for persons, those of requesters that begin with person:', async () => {
    await wantEvents(running, { types: ['RESET'], ofPersons: ['UNRESERVED', 'TRANSACTION_APPLIED'] });
    await release([await hold('a', 'ann'), await hold('b', 'person:ann@example.com')]);
    for (const requester of ['ann', 'person:ann@example.com'])
      await transaction(running.engine, running.credential, 'ALL_OR_NONE', [
        { requestType: 'RESERVE', resource: `of ${requester}`, requester },
      ]);
    expect((await entries()).flatMap(({ lines }) => lines)).toMatchObject([
      { type: 'UNRESERVED', requester: 'person:ann@example.com' },
      { type: 'TRANSACTION_APPLIED', changes: [{ requester: 'person:ann@example.com' }] },
    ]);
  });

  test('a change of the types holds from the next call on, and without any there is no outbox', async () => {
    const { redis } = running.engine;
    await wantEvents(running, { types: ['RESERVED'] });
    const first = await hold('a');
    await wantEvents(running, { types: ['UNRESERVED'] });
    await release([first, await hold('b')]);
    expect(await types()).toEqual(['RESERVED', 'UNRESERVED', 'UNRESERVED']);
    await wantEvents(running, {});
    await hold('c');
    expect(await redis.exists(outboxKey(tenantOf()))).toBe(0);
    expect((await hotOf(redis, tenantOf())).box).toBeNull();
  });
});

describe('an entry fits into one request to a receiver', () => {
  test('it has at most 100 events', async () => {
    await wantEvents(running, { types: ['*'] });
    const items = Array.from({ length: 250 }, (_, i) => ({ resource: `r${i}`, requester: 'ann' }));
    await reserve(running.engine, running.credential, items);
    const all = await entries();
    expect(all.map(({ lines }) => lines.length)).toEqual([100, 100, 50]);
    expect(all.map(({ events }) => events)).toEqual([0, 100, 200]);
    expect(all.flatMap(({ lines }) => lines.map(({ resource }) => resource))).toEqual(items.map((one) => one.resource));
  });

  test('it has at most 256 KiB', async () => {
    await wantEvents(running, { types: ['*'] });
    const items = Array.from({ length: 90 }, (_, i) => ({
      resource: `${i}${'n'.repeat(1900)}`,
      requester: 'a'.repeat(1900),
    }));
    await reserve(running.engine, running.credential, items);
    const all = await entries();
    expect(all.map(({ lines }) => lines.length)).toEqual([53, 37]);
    for (const { bytes, lines } of all) expect(bytes + 400 * lines.length).toBeLessThan(262_144);
  });
});

describe('a full outbox fails no call', () => {
  test('at 10,000 entries: events are counted, and the next entry shows how many are missing', async () => {
    const { redis } = running.engine;
    await wantEvents(running, { types: ['*'] });
    await hold('first');
    const full = { ...(await box()), entries: 10_000 };
    await changeHot(redis, tenantOf(), { box: full });
    await release([await hold('a'), await hold('b')]);
    expect(await box()).toMatchObject({ entries: 10_000, events: 5, missed: 4, to: full.to });
    await changeHot(redis, tenantOf(), { box: { ...(await box()), entries: 9999 } });
    await hold('last');
    expect((await entries()).map(({ events }) => events)).toEqual([0, 5]);
    expect(await box()).toMatchObject({ entries: 10_000, events: 6, missed: 0 });
  });

  test.each([
    ['Enterprise', 16 * 1024 * 1024],
    ['Free', 2 * 1024 * 1024],
  ] as const)('at the bytes of the tier %s', async (tier, most) => {
    const { redis } = running.engine;
    await wantEvents(running, { types: ['*'], tier });
    await changeHot(redis, tenantOf(), { box: { ...(await box()), to: most - 350 } });
    await hold('fits');
    await hold('does not');
    expect((await entries()).flatMap(({ lines }) => lines)).toMatchObject([{ resource: 'fits' }]);
    expect(await box()).toMatchObject({ events: 2, missed: 1 });
  });

  test('even if Redis refuses to add to it', async () => {
    const { redis } = running.engine;
    await wantEvents(running, { types: ['*'] });
    await redis.set(outboxKey(tenantOf()), 'no stream');
    expect(await release([await hold('a')])).toMatchObject([{ status: 'RELINQUISHED' }]);
    expect(await box()).toMatchObject({ entries: 0, events: 2, missed: 2 });
  });
});

describe('an outbox lives as long as its tenant', () => {
  test('a reset keeps it', async () => {
    await wantEvents(running, { types: ['RESERVED', 'RESET'] });
    await hold('a');
    await reset(running.engine, running.credential);
    expect(await types()).toEqual(['RESERVED', 'RESET']);
  });

  test('it is deleted with its tenant', async () => {
    await wantEvents(running, { types: ['*'] });
    await hold('a');
    await purgeTenant(running.engine, tenantOf());
    expect(await running.engine.redis.exists(outboxKey(tenantOf()))).toBe(0);
  });
});

describe('the instance gets to know that an outbox was written', () => {
  test('by the replies of calls that wrote to it, and no others', async () => {
    const written: string[] = [];
    running = { ...running, engine: { ...running.engine, onOutbox: (tenant) => written.push(tenant) } };
    const count = async (work: () => Promise<unknown>) => {
      const before = written.length;
      await work();
      return written.length - before;
    };
    const { engine, credential } = running;
    expect(await count(() => hold('before'))).toBe(0);
    await wantEvents(running, { types: ['RESERVED', 'UNRESERVED', 'RENEWED', 'RESET'] });
    const plain = await hold('plain');
    expect(written).toEqual([tenantOf()]);
    expect(await count(() => hold('noted', 'ann', { note: 'x' }))).toBe(1);
    expect(await count(() => hold('plain', 'bob'))).toBe(0);
    expect(await count(() => renew(engine, credential, [{ ...plain, ttlSeconds: 9 }]))).toBe(1);
    expect(await count(() => release([plain]))).toBe(1);
    expect(await count(() => reset(engine, credential))).toBe(1);
  });
});
