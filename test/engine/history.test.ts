/** docs/specification.md#history: what scripts write down when a reservation or a wait ends. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReserveItem } from '../../src/contract/reservations.ts';
import type { PastEntry } from '../../src/domain/history.ts';
import type { TierLimits } from '../../src/domain/tiers.ts';
import { keptHistory } from '../../src/engine/history/kept.ts';
import { historyKey } from '../../src/redis/keys.ts';
import { setClock } from '../support/clock.ts';
import { type RunningEngine, startEngine } from '../support/engine.ts';
import { queue, poll as queueUp, wanted } from '../support/polls.ts';
import { makeTenant } from '../support/service.ts';
import { begin, end } from '../support/sessions.ts';
import { as, ask, hold, holdfast, NOW, OPERATOR, operator, release, useTakingAway } from '../support/takingAway.ts';
import { reserve, reset, unreserve } from '../support/verbs.ts';

useTakingAway();

let reader: RunningEngine;
beforeAll(async () => {
  reader = await startEngine(holdfast.tenant);
});
afterAll(() => reader.stop());

let named = 0;
const fresh = () => `thing-${++named}`;
const LATER = NOW + 5000;

/** The entries of a resource, newest first. */
async function past(resource: string): Promise<readonly PastEntry[]> {
  return (await keptHistory(reader.engine.redis).page(holdfast.tenant, { resource }, undefined, 100)).entries;
}

describe('each ended reservation leaves an entry', () => {
  test('one that its holder releases, with all that is known of it', async () => {
    const resource = fresh();
    const item = { resource, requester: 'ann', resourceType: 'Device', note: 'say "why"', ttlSeconds: 60 };
    const [held] = (await holdfast.reserve(item)).body;
    await setClock(holdfast.redis, holdfast.tenant, LATER);
    await holdfast.unreserve({ resource, requester: 'ann', releaseToken: held?.releaseToken });
    expect(await past(resource)).toEqual([
      {
        kind: 'RESERVATION',
        number: held?.fencingToken,
        resource,
        requestedName: null,
        slots: [resource],
        requester: 'ann',
        resourceType: 'Device',
        mode: 'EXCLUSIVE',
        apiKeyLabel: 'wörk "er"',
        note: 'say "why"',
        waitedMs: null,
        reservedAt: NOW,
        endedAt: LATER,
        ending: 'RELEASED',
        actor: null,
        booking: null,
      },
    ]);
  });

  test('one whose lease expires, when it was found', async () => {
    const resource = fresh();
    await holdfast.reserve({ resource, requester: 'ann', ttlSeconds: 1 });
    await setClock(holdfast.redis, holdfast.tenant, LATER);
    await holdfast.check({ resource, requester: 'ann' });
    expect(await past(resource)).toMatchObject([{ ending: 'EXPIRED', endedAt: LATER, actor: null }]);
  });

  test('one that somebody takes away, with who did', async () => {
    const held = await hold();
    await release(operator, held);
    expect(await past(held.resource)).toMatchObject([{ ending: 'TAKEN_AWAY', actor: `person:${OPERATOR}` }]);
  });

  test('one that a person releases who holds it', async () => {
    const held = await hold('ann@id.example');
    await release(await as('member', 'ann@id.example'), held);
    expect(await past(held.resource)).toMatchObject([{ ending: 'RELEASED', actor: null }]);
  });

  test('those of a session that is ended', async () => {
    const resource = fresh();
    const session = await begin(holdfast, 'ann');
    await holdfast.reserve({ resource, requester: 'ann', session: session.session });
    await end(holdfast, session);
    expect(await past(resource)).toMatchObject([{ ending: 'SESSION_ENDED', actor: 'key:wörk "er"' }]);
  });

  test('those of a session that lapses', async () => {
    const resource = fresh();
    const session = await begin(holdfast, 'ann', 10);
    await holdfast.reserve({ resource, requester: 'ann', session: session.session });
    await setClock(holdfast.redis, holdfast.tenant, NOW + 20_000);
    await holdfast.check({ resource, requester: 'ann' });
    expect(await past(resource)).toMatchObject([{ ending: 'SESSION_ENDED', actor: null }]);
  });

  test('shared ones, and several slots of a pool by the name of the pool', async () => {
    const [plain, pool] = [fresh(), fresh()];
    await holdfast.register({ name: pool, capacity: 3 });
    const items: ReserveItem[] = [
      { resource: plain, requester: 'ann', mode: 'SHARED' },
      { resource: plain, requester: 'bob', mode: 'SHARED' },
      { resource: pool, requester: 'ann', count: 2 },
      { resource: `${pool}_2`, requester: 'bob' },
    ];
    const held = (await holdfast.reserve(...items)).body;
    await holdfast.unreserve(...held);
    expect(await past(plain)).toMatchObject([
      { requester: 'bob', mode: 'SHARED', slots: [plain], requestedName: null },
      { requester: 'ann', mode: 'SHARED', slots: [plain], requestedName: null },
    ]);
    expect(await past(pool)).toMatchObject([
      { requester: 'bob', slots: [`${pool}_2`], requestedName: `${pool}_2` },
      { requester: 'ann', slots: [`${pool}_0`, `${pool}_1`], requestedName: null },
    ]);
  });

  test('nothing that is rolled back', async () => {
    const held = await hold();
    const other = await hold();
    const { resource, requester, releaseToken } = held;
    const { body } = await holdfast.transaction(
      'ALL_OR_NONE',
      { requestType: 'UNRESERVE', resource, requester, releaseToken },
      { requestType: 'RESERVE', resource: other.resource, requester: 'x' },
    );
    expect(body.status).toBe('ROLLED_BACK');
    expect(await past(held.resource)).toEqual([]);
  });
});

describe('a reset is written down behind it', () => {
  test('each reservation, with when and by whom, and nothing twice', async () => {
    const names = Array.from({ length: 450 }, fresh);
    await holdfast.reserve(...names.map((resource) => ({ resource, requester: 'ann' })));
    await setClock(holdfast.redis, holdfast.tenant, LATER);
    await ask(operator, 'reset', undefined);
    await setClock(holdfast.redis, holdfast.tenant, LATER + 5000);
    const { entries } = await keptHistory(reader.engine.redis).page(
      holdfast.tenant,
      { requester: 'ann' },
      undefined,
      5000,
    );
    const ended = entries.filter(({ ending }) => ending === 'RESET');
    expect(ended.map(({ resource }) => resource).sort()).toEqual([...names].sort());
    expect(new Set(ended.map(({ endedAt, actor }) => `${endedAt} ${actor}`))).toEqual(
      new Set([`${LATER} person:${OPERATOR}`]),
    );
    expect(await holdfast.redis.exists(`{${holdfast.tenant}}:resetSlots`)).toBe(0);
  });
});

describe('waits', () => {
  /** Makes bob wait for what a holder has. */
  async function waitFor(resource: string, fields = {}) {
    const call = queueUp(holdfast, [wanted(resource, 'bob', fields)]);
    await queue(holdfast, 'bob', (waiting) => waiting.some((one) => one.resources.includes(resource)));
    return call;
  }
  const at = (ms: number) => setClock(holdfast.redis, holdfast.tenant, ms);

  test('one that is cancelled leaves an entry', async () => {
    const { resource } = await hold();
    const call = await waitFor(resource, { note: 'why', resourceType: 'Device' });
    await at(LATER);
    await holdfast.cancel({ resource, requester: 'bob' });
    await call.response;
    expect(await past(resource)).toMatchObject([
      {
        kind: 'WAIT',
        ending: 'CANCELLED',
        requester: 'bob',
        resourceType: 'Device',
        waitedMs: 5000,
        reservedAt: null,
        endedAt: LATER,
        slots: [],
        note: 'why',
      },
    ]);
  });

  test('one that takes too long leaves an entry', async () => {
    const { resource } = await hold();
    const call = await waitFor(resource, { waitSeconds: 30 });
    await at(NOW + 31_000);
    await holdfast.check({ resource, requester: 'bob' });
    await call.response;
    expect(await past(resource)).toMatchObject([{ kind: 'WAIT', ending: 'ELAPSED', waitedMs: 31_000 }]);
  });

  test('a reservation says how long its caller waited for it', async () => {
    const held = await hold();
    const call = await waitFor(held.resource);
    await at(LATER);
    await holdfast.unreserve(held);
    const granted = await call.first;
    await holdfast.unreserve({ resource: held.resource, requester: 'bob', releaseToken: granted?.releaseToken });
    expect(await past(held.resource)).toMatchObject([
      { kind: 'RESERVATION', requester: 'bob', waitedMs: 5000, reservedAt: LATER, ending: 'RELEASED' },
      { kind: 'RESERVATION', requester: 'holder', waitedMs: null },
    ]);
  });

  test('what nobody comes back for was not claimed', async () => {
    const held = await hold();
    const call = await waitFor(held.resource, { claimSeconds: 10 });
    call.hangUp();
    await call.response.catch(() => {});
    await holdfast.unreserve(held);
    await at(NOW + 11_000);
    await holdfast.check({ resource: held.resource, requester: 'bob' });
    expect(await past(held.resource)).toMatchObject([
      { kind: 'RESERVATION', requester: 'bob', ending: 'NOT_CLAIMED', endedAt: NOW + 11_000 },
      { requester: 'holder' },
    ]);
  });
});

describe('a page', () => {
  test('is bounded, goes on at its cursor, and is filtered by time', async () => {
    const resource = fresh();
    for (let i = 0; i < 5; i++) {
      await setClock(holdfast.redis, holdfast.tenant, NOW + i);
      await holdfast.unreserve(await hold(`r${i}`, resource));
    }
    const { page } = keptHistory(reader.engine.redis);
    const first = await page(holdfast.tenant, { resource }, undefined, 3);
    const second = await page(holdfast.tenant, { resource }, first.next ?? '', 3);
    expect([first, second].map(({ entries }) => entries.map(({ requester }) => requester))).toEqual([
      ['r4', 'r3', 'r2'],
      ['r1', 'r0'],
    ]);
    expect(second.next).toBeNull();
    const within = { resource, from: new Date(NOW + 1), to: new Date(NOW + 3) };
    const { entries } = await page(holdfast.tenant, within, undefined, 10);
    expect(entries.map(({ requester }) => requester)).toEqual(['r2', 'r1']);
    await expect(page(holdfast.tenant, {}, 'x', 3)).rejects.toThrow('cursor');
  });
});

describe('what is kept is bounded', () => {
  const only = (limits: Partial<TierLimits>) => startEngine(makeTenant(), undefined, undefined, limits);
  const cycles = async ({ engine, credential }: RunningEngine, count: number) => {
    const items = Array.from({ length: count }, (_, i) => ({ resource: `r${i}`, requester: 'a' }));
    await unreserve(engine, credential, await reserve(engine, credential, items));
  };

  test('by the number of entries that the tier keeps', async () => {
    const running = await only({ historyEntries: 200 });
    for (let i = 0; i < 10; i++) await cycles(running, 100);
    // Whole nodes of the stream are dropped.
    expect(await running.engine.redis.xlen(historyKey(running.credential.tenant))).toBeLessThan(400);
    running.stop();
  });

  test('by the bytes of an entry, however much the reservation took along', async () => {
    const blocks = Array.from({ length: 40 }, (_, i) => `blocker-${i}-${'x'.repeat(80)}`);
    const registered = await holdfast.register({ name: 'heavy', blocks }, { name: 'wide', capacity: 300 });
    expect(registered.status).toBe(200);
    const items = [
      { resource: 'heavy', requester: 'ann', note: 'why' },
      { resource: 'wide', requester: 'ann', count: 150 },
    ];
    const held = (await holdfast.reserve(...items)).body;
    expect(held.map(({ explanation }) => explanation)).toEqual(['ACQUIRED', 'ACQUIRED']);
    await holdfast.unreserve(...held);
    await holdfast.reserve(...items);
    await holdfast.reset();
    const [first, second] = await past('heavy');
    expect([first, second]).toMatchObject([
      { ending: 'RESET', slots: ['heavy'], note: 'why' },
      { ending: 'RELEASED', slots: ['heavy'], note: 'why' },
    ]);
    const wide = await past('wide');
    expect(wide.map(({ ending, slots }) => [ending, slots.length])).toEqual([
      ['RESET', 100],
      ['RELEASED', 100],
    ]);
    const newest = await holdfast.redis.xrevrange(historyKey(holdfast.tenant), '+', '-', 'COUNT', 4);
    for (const [, fields] of newest) for (const field of fields) expect(field.length).toBeLessThan(2000);
  });

  test('a tenant whose tier keeps none has none', async () => {
    const running = await only({ historyDays: 0 });
    await cycles(running, 10);
    await reserve(running.engine, running.credential, [{ resource: 'x', requester: 'a' }]);
    await reset(running.engine, running.credential);
    expect(await running.engine.redis.keys(`{${running.credential.tenant}}:*istory`)).toEqual([]);
    expect(await running.engine.redis.keys(`{${running.credential.tenant}}:resetSlots`)).toEqual([]);
    running.stop();
  });
});
