/**
 * The page of one resource reads (docs/specification.md#dashboard-and-sign-in): for each kind of name its
 * definition, holders, plan and line.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOW, register } from '../../../src/engine/definitions/changes.ts';
import { resourceState } from '../../../src/engine/reservations/resource.ts';
import { type RunningEngine, startEngine } from '../../support/engine.ts';
import { reserve } from '../../support/verbs.ts';

let running: RunningEngine;

beforeAll(async () => {
  running = await startEngine();
  const { engine, credential } = running;
  await register(
    engine,
    credential,
    [
      { name: 'Room', capacity: 60, treePath: 'House>Floor', blocks: ['Projector'], labels: { site: 'berlin' } },
      { name: 'Floor', capacity: 10, treePath: 'House', blocks: [] },
      { name: 'House', capacity: 30, treePath: null, blocks: ['Alarm'] },
      { name: 'desk', capacity: 1, treePath: null, blocks: [] },
      { name: 'lab', capacity: 1, group: true, treePath: null, blocks: [] },
    ],
    NOW,
  );
  const items = [
    { resource: 'Room', requester: 'ann', ttlSeconds: 60, note: 'a visit' },
    { resource: 'Room', requester: 'bob', count: 2 },
    { resource: 'Room_45', requester: 'cy' },
    { resource: 'desk', requester: 'dee', mode: 'SHARED' as const },
    { resource: 'desk', requester: 'eve', mode: 'SHARED' as const },
    { resource: 'plain', requester: 'fay' },
  ];
  await reserve(engine, credential, items);
});
afterAll(() => running.stop());

const read = (name: string, from = 0, limit = 100) =>
  resourceState(running.engine, running.credential, name, from, limit);

describe('the state of a resource', () => {
  test('has its definition, its holders with their reservations, and its plan', async () => {
    const state = await read('Room');
    expect(state).toMatchObject({
      resource: 'Room',
      slot: null,
      held: 4,
      registered: { capacity: 60, treePath: 'House>Floor', labels: { site: 'berlin' }, blocks: ['Projector'] },
    });
    expect(state.holds.map(({ slot, hold }) => [slot, hold.holder, hold.resource, hold.note])).toEqual([
      ['Room_0', 'ann', 'Room', 'a visit'],
      ['Room_1', 'bob', 'Room', undefined],
      ['Room_2', 'bob', 'Room', undefined],
      ['Room_45', 'cy', 'Room_45', undefined],
    ]);
    expect(state.holds.map(({ hold }) => [hold.since !== null, hold.until !== null])).toEqual([
      [true, true],
      [true, false],
      [true, false],
      [true, false],
    ]);
    expect(state.plan).toEqual([
      { role: 'ancestor', name: 'House', capacity: 30, held: 3, owner: '', condition: null },
      { role: 'ancestor', name: 'Floor', capacity: 10, held: 3, owner: '', condition: null },
      { role: 'blocker', name: 'Alarm', capacity: 1, held: 1, owner: 'system:House', condition: null },
      { role: 'blocker', name: 'Projector', capacity: 1, held: 1, owner: 'system:Room', condition: null },
    ]);
  });

  test('covers the slots that were asked for only, and the slot that a name means', async () => {
    expect((await read('Room', 40, 10)).holds.map(({ slot }) => slot)).toEqual(['Room_45']);
    expect(await read('Room_45')).toMatchObject({ resource: 'Room', slot: 'Room_45' });
    expect(await read('House>Floor>Room')).toMatchObject({ resource: 'Room', slot: null });
  });

  test('has those who hold it SHARED, and says of a slot that is held along who needs it', async () => {
    expect((await read('desk')).holds).toMatchObject([
      { slot: 'desk', hold: { kind: 'shared', count: 2 }, shares: [{ holder: 'dee' }, { holder: 'eve' }] },
    ]);
    expect((await read('Floor')).holds).toMatchObject([
      { slot: 'Floor_0', hold: { kind: 'along', holder: 'ann' }, shares: [] },
      { slot: 'Floor_1', hold: { kind: 'along', holder: 'bob' } },
      { slot: 'Floor_2', hold: { kind: 'along', holder: 'cy' } },
    ]);
  });

  test('is that of a name that is not registered, of a group, and of a name that means nothing', async () => {
    expect(await read('plain')).toMatchObject({ resource: 'plain', registered: null, held: 1, plan: [] });
    expect(await read('lab')).toMatchObject({ registered: { capacity: null }, holds: [] });
    expect(await read('House>Room')).toMatchObject({ resource: null, registered: null, held: 0, waiting: 0 });
  });

  test('has the queue of the resource and of its slots in the order of the queue, and nothing of other queues', async () => {
    const { engine, credential } = running;
    const call = { instance: 'nobody', pollMs: 0, isContinuation: false };
    const wait = (resource: string, requester: string, priority = 0) =>
      reserve(engine, credential, [{ resource, requester, ttlSeconds: 60, waitSeconds: 60, priority }], call);
    await wait('Room_45', 'first');
    await wait('plain', 'elsewhere');
    await wait('Room_45', 'urgent', 5);
    const { queue, waiting } = await read('Room');
    expect(waiting).toBe(2);
    expect(queue.map(({ place, request }) => [place, request.requester])).toEqual([
      ['Room_45', 'urgent'],
      ['Room_45', 'first'],
    ]);
    expect((await read('plain')).queue).toMatchObject([{ place: 'plain', request: { requester: 'elsewhere' } }]);
  });
});
