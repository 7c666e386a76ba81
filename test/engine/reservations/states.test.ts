/**
 * Pages read the states of some resources, whatever else the tenant has.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOW, register } from '../../../src/engine/definitions/changes.ts';
import { labelsInUse } from '../../../src/engine/definitions/list.ts';
import { unregistered } from '../../../src/engine/reservations/active.ts';
import { holderText } from '../../../src/engine/reservations/holders.ts';
import { resourceStates } from '../../../src/engine/reservations/states.ts';
import { beginSession } from '../../../src/engine/sessions.ts';
import { type RunningEngine, startEngine } from '../../support/engine.ts';
import { reserve, unreserve } from '../../support/verbs.ts';

let running: RunningEngine;
beforeAll(async () => {
  running = await startEngine();
  const { engine, credential } = running;
  const one = { capacity: 1, blocks: [], treePath: null };
  await register(
    engine,
    credential,
    [
      { ...one, name: 'phones', capacity: 20, labels: { os: 'android', site: 'berlin' } },
      { ...one, name: 'lab', capacity: null, group: true },
      { ...one, name: 'building', treePath: 'lab' },
      { ...one, name: 'room', treePath: 'lab>building', blocks: ['projector'] },
      { ...one, name: 'cellar', treePath: 'lab>building' },
    ],
    NOW,
  );
});
afterAll(() => running.stop());

const statesOf = (names: string[], requesters: string[] = []) =>
  resourceStates(running.engine, running.credential, names, { slots: 2, requesters });
const holdersOf = async (name: string) =>
  (await statesOf([name]))[0]?.slots.map(({ hold }) => hold && holderText(hold));
const take = (...items: { resource: string; requester: string }[]) =>
  reserve(running.engine, running.credential, items);

describe('the state of a resource', () => {
  test('says what is registered: slots, labels and the path of its ancestors', async () => {
    expect(await statesOf(['phones', 'lab', 'room', 'nothing'])).toMatchObject([
      { name: 'phones', isRegistered: true, capacity: 20, labels: { os: 'android', site: 'berlin' }, above: [] },
      { name: 'lab', isRegistered: true, capacity: null, slots: [] },
      { name: 'room', isRegistered: true, capacity: 1, above: ['lab', 'building'], fullAncestor: null },
      { name: 'nothing', isRegistered: false, capacity: 1, slots: [{ slot: 'nothing', hold: null }] },
    ]);
  });

  test('stands for every name that means the resource', async () => {
    expect((await statesOf(['phones_3', 'lab>building>room'])).map(({ name }) => name)).toEqual(['phones', 'room']);
  });

  test('has the first slots of a pool, and that of a given requester', async () => {
    const held = await take(...Array.from({ length: 9 }, (_, i) => ({ resource: 'phones', requester: `r${i}` })));
    const [phones] = await statesOf(['phones'], ['r7', 'nobody', 'r1']);
    expect(phones?.held).toBe(9);
    expect(phones?.slots.map(({ slot, hold }) => [slot, hold?.holder])).toEqual([
      ['phones_0', 'r0'],
      ['phones_1', 'r1'],
      ['phones_7', 'r7'],
    ]);
    await unreserve(running.engine, running.credential, held);
  });

  test('tells who holds it, why, since when and until when, and who took it along', async () => {
    const held = await reserve(running.engine, running.credential, [
      { resource: 'room', requester: 'ann', ttlSeconds: 60, note: 'Release 4' },
    ]);
    const [room, building, cellar, projector] = await statesOf(['room', 'building', 'cellar', 'projector']);
    const hold = room?.slots[0]?.hold;
    expect(hold).toMatchObject({ kind: 'own', holder: 'ann', note: 'Release 4', resource: 'room', isUnclaimed: false });
    expect(Date.parse(hold?.until ?? '') - Date.parse(hold?.since ?? '')).toBe(60_000);
    expect(building?.slots[0]?.hold).toMatchObject({ kind: 'along', holder: 'ann', since: null, until: null });
    expect([cellar?.held, cellar?.fullAncestor]).toEqual([0, 'building']);
    expect([projector?.isRegistered, projector?.slots[0]?.hold?.holder]).toEqual([false, 'system:room']);
    expect(await holdersOf('projector')).toEqual(['room (takes it along)']);
    await unreserve(running.engine, running.credential, held);
  });

  test('names the blocker that keeps others from it, and the reservation that holds it', async () => {
    const { engine, credential } = running;
    const one = { capacity: 1, blocks: [], treePath: null };
    await register(
      engine,
      credential,
      [
        { ...one, name: 'load-test', blocks: ['database'] },
        { ...one, name: 'staging', blocks: ['database'] },
        { ...one, name: 'suite', capacity: 3, blocks: ['staging'] },
        { ...one, name: 'hall', capacity: 2, blocks: ['database'] },
        { ...one, name: 'desk', treePath: 'hall' },
        { ...one, name: 'closed', blocks: ['lab'] },
      ],
      NOW,
    );
    const blockersOf = async (...names: string[]) =>
      (await statesOf(names)).map(({ blockedBy }) => blockedBy && [blockedBy.name, blockedBy.hold?.holder ?? null]);
    expect(await blockersOf('load-test', 'staging', 'suite', 'desk', 'closed')).toEqual([
      ...[null, null, null, null],
      ['lab', null],
    ]);
    const held = await reserve(engine, credential, [{ resource: 'suite', requester: 'ann', ttlSeconds: 60 }]);
    // A pool has no single reservation to follow.
    expect(await blockersOf('load-test', 'staging', 'suite', 'desk')).toEqual([
      ['database', 'system:suite'],
      null,
      null,
      ['database', 'system:suite'],
    ]);
    await unreserve(engine, credential, held);
    const again = await reserve(engine, credential, [{ resource: 'staging', requester: 'ann', ttlSeconds: 60 }]);
    const [state] = await statesOf(['load-test']);
    expect(state?.blockedBy).toMatchObject({ name: 'database', hold: { holder: 'ann', resource: 'staging' } });
    expect(state?.slots).toEqual([{ slot: 'load-test', hold: null }]);
    expect(await blockersOf('suite')).toEqual([['staging', 'ann']]);
    await unreserve(engine, credential, again);
  });

  test('has the reservation of each of several slots', async () => {
    const held = await reserve(running.engine, running.credential, [
      { resource: 'phones', requester: 'ann', count: 2, note: 'both' },
    ]);
    const [phones] = await statesOf(['phones']);
    expect(phones?.slots.map(({ hold }) => [hold?.kind, hold?.note])).toEqual([
      ['own', 'both'],
      ['own', 'both'],
    ]);
    await unreserve(running.engine, running.credential, held);
  });

  test('names those who hold it SHARED', async () => {
    const held = await reserve(
      running.engine,
      running.credential,
      ['ann', 'bob'].map((requester) => ({ resource: 'docs', requester, mode: 'SHARED' as const })),
    );
    expect(await holdersOf('docs')).toEqual(['SHARED by ann, bob']);
    await unreserve(running.engine, running.credential, held);
  });

  test('says when its session ends', async () => {
    const { engine, credential } = running;
    const { result } = await beginSession(engine, credential, { requester: 'ci', ttlSeconds: 60 });
    await reserve(engine, credential, [{ resource: 'cell', requester: 'ci', session: result.session }]);
    const hold = (await statesOf(['cell']))[0]?.slots[0]?.hold;
    expect([hold?.hasSession, hold?.until]).toEqual([true, result.expiresAt]);
  });

  test('counts who waits, and says who is next, for how long and for how many slots', async () => {
    await take({ resource: 'tv', requester: 'ann' });
    const attended = { instance: 'test', pollMs: 30_000, isContinuation: false };
    const wait = (item: { resource: string; requester: string; priority?: number; count?: number; note?: string }) =>
      reserve(running.engine, running.credential, [{ ttlSeconds: 90, waitSeconds: 60, ...item }], attended);
    await wait({ resource: 'tv', requester: 'bob' });
    await wait({ resource: 'tv', requester: 'cat', note: 'demo' });
    const next = { ttlMs: 90_000, count: 1, note: undefined };
    expect((await statesOf(['tv', 'cellar'])).map(({ waiting, queue }) => [waiting, queue])).toEqual([
      [
        2,
        [
          { ...next, requester: 'bob' },
          { ...next, requester: 'cat', note: 'demo' },
        ],
      ],
      [0, []],
    ]);
    await wait({ resource: 'tv', requester: 'dan', priority: 5 });
    for (const i of [1, 2, 3]) await wait({ resource: 'tv', requester: `e${i}` });
    const [tv, phones] = await statesOf(['tv', 'phones'], ['nobody', 'cat']);
    expect(tv?.queue.map(({ requester }) => requester)).toEqual(['dan', 'bob', 'cat', 'e1', 'e2']);
    expect([tv?.waiting, tv?.place, phones?.place]).toEqual([6, 3, null]);
    const held = await reserve(running.engine, running.credential, [
      { resource: 'phones', requester: 'all', count: 20 },
    ]);
    await wait({ resource: 'phones', requester: 'train', count: 4 });
    expect((await statesOf(['phones']))[0]?.queue).toEqual([{ ...next, requester: 'train', count: 4 }]);
    await unreserve(running.engine, running.credential, held);
  });
});

describe('the names that are held without being registered', () => {
  test('are listed page by page, without slots of pools and those who share one', async () => {
    const { engine, credential } = running;
    const free = Array.from({ length: 900 }, (_, i) => ({ resource: `free-${i}`, requester: 'r' }));
    for (const items of [free.slice(0, 450), free.slice(450)]) await take(...items);
    await take({ resource: 'phones', requester: 'r' }, { resource: 'cellar', requester: 'r' });
    const names = new Set<string>();
    let pages = 0;
    for (let cursor: string | null = '0'; cursor !== null; pages++) {
      const page = await unregistered(engine, credential, cursor);
      for (const name of page.names) names.add(name);
      cursor = page.next;
    }
    expect(pages).toBeGreaterThan(1);
    expect([...names].sort()).toEqual(['cell', 'tv', ...free.map(({ resource }) => resource)].sort());
  });
});

describe('the labels in use', () => {
  test('are those that several resources may have: not those of a key with many values', async () => {
    const { engine, credential } = running;
    const serial = (i: number) => ({
      name: `s${i}`,
      capacity: 1,
      blocks: [],
      treePath: null,
      labels: { 'a-serial': `${i}`, os: i % 2 ? 'ios' : 'android' },
    });
    await register(
      engine,
      credential,
      Array.from({ length: 20 }, (_, i) => serial(i)),
      NOW,
    );
    expect(await labelsInUse(engine, credential, 20)).toEqual(['os=android', 'os=ios', 'site=berlin']);
    expect(await labelsInUse(engine, credential, 2)).toEqual(['os=android', 'os=ios']);
  });
});
