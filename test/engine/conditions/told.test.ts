/** Conditions in events (docs/specification.md#events) and in the history (#history), and who may set them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { book } from '../../../src/engine/bookings.ts';
import { NOW, register } from '../../../src/engine/definitions/changes.ts';
import { keptHistory } from '../../../src/engine/history/kept.ts';
import { setCondition } from '../../../src/engine/reservations/conditions.ts';
import { registerBookable } from '../../support/bookable.ts';
import { type RunningEngine, startEngine } from '../../support/engine.ts';
import { entriesIn, wantEvents } from '../../support/outbox.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../../support/service.ts';
import { reserve, transaction, unreserve } from '../../support/verbs.ts';
import { type Subscriber, watch } from '../../support/watch.ts';

let holdfast: Instance;
let running: RunningEngine;
let stream: Subscriber;
beforeAll(async () => {
  const tenant = makeTenant();
  const key = makeConfiguredKey(tenant);
  holdfast = await startInstance({ keys: [key] });
  running = await startEngine(tenant, undefined, undefined, {}, key);
  stream = await watch({ url: holdfast.url, key: key.key });
});
afterAll(() => running.stop());

const item = (name: string) => ({ name, capacity: null, blocks: [], treePath: null });
const set = (resource: string, condition: 'ready' | 'dirty' | 'out', reason?: string) =>
  setCondition(running.engine, running.credential, [{ resource, condition, reason }]);

/** Returns the events since the last call: types, and of conditions slot, condition, reason and actor. */
let seen = 0;
async function told(count: number) {
  const events = (await stream.count(seen + count)).slice(seen);
  seen += count;
  return events.map(({ type, resource, explanation, reason, actor }) =>
    type === 'CONDITION' ? [resource, explanation, reason, actor].join(' ') : type,
  );
}

describe('each change of a condition is an event', () => {
  test('of setCondition, for each slot that has changed', async () => {
    const { engine, credential } = running;
    await register(engine, credential, [{ ...item('pair'), capacity: 2 }], NOW);
    await set('pair_1', 'out', 'a "b"');
    await set('pair', 'out', 'a "b"');
    expect(await told(2)).toEqual(['pair_1 out a "b" key', 'pair_0 out a "b" key']);
  });

  test('of a release, after that', async () => {
    const { engine, credential } = running;
    await register(engine, credential, [{ ...item('used'), afterUse: 'dirty' }], NOW);
    await set('used', 'ready');
    const [held] = await reserve(engine, credential, [{ resource: 'used', requester: 'ann' }]);
    await unreserve(engine, credential, [
      { ...(held ?? expect.fail()), releaseToken: held?.releaseToken ?? undefined },
    ]);
    expect(await told(4)).toEqual(['used ready  key', 'RESERVED', 'UNRESERVED', 'used dirty  key']);
  });

  test('of a transaction, after that; and none if it is rolled back', async () => {
    const { engine, credential } = running;
    await register(engine, credential, [item('moved')], NOW);
    const asked = { resource: 'moved', requester: 'ann' };
    const [held] = await reserve(engine, credential, [asked]);
    const release = { ...asked, requestType: 'UNRESERVE' as const, releaseToken: held?.releaseToken ?? undefined };
    const again = { ...asked, requestType: 'RESERVE' as const };
    await transaction(engine, credential, 'ALL_OR_NONE', [{ ...release, condition: 'out' }, again]);
    await transaction(engine, credential, 'AS_MANY_AS_POSSIBLE', [
      { ...release, condition: 'out', reason: 'x' },
      again,
    ]);
    expect(await told(4)).toEqual(['RESERVED', 'TRANSACTION_ROLLED_BACK', 'TRANSACTION_APPLIED', 'moved out x key']);
  });
});

describe('a time out of service', () => {
  test('leaves an entry in the history at its end', async () => {
    const { engine, credential } = running;
    await register(engine, credential, [{ ...item('lift'), capacity: 2 }], NOW);
    await set('lift_1', 'out', 'stuck');
    const history = async () =>
      (await keptHistory(engine.redis).page(credential.tenant, { resource: 'lift' }, undefined, 100)).entries;
    expect(await history()).toEqual([]);
    await set('lift_1', 'dirty');
    expect(await history()).toMatchObject([
      {
        kind: 'OUT_OF_SERVICE',
        slots: ['lift_1'],
        note: 'stuck',
        requester: 'key',
        actor: 'key',
        ending: 'OUT_OF_SERVICE',
      },
    ]);
    await set('lift_1', 'ready');
    expect(await history()).toHaveLength(1);
  });

  test('that the end of its slot ends leaves one, too', async () => {
    const { engine, credential } = running;
    await register(engine, credential, [{ ...item('hoist'), capacity: 3 }], NOW);
    await set('hoist_2', 'out', 'stuck');
    await register(engine, credential, [{ ...item('hoist'), capacity: 2 }], NOW);
    const { entries } = await keptHistory(engine.redis).page(credential.tenant, { resource: 'hoist' }, undefined, 100);
    expect(entries).toMatchObject([{ kind: 'OUT_OF_SERVICE', slots: ['hoist_2'], note: 'stuck' }]);
  });
});

describe('the event of a slot that is booked says', () => {
  test('who has booked it next, when it goes out of service or comes back; so those of persons are kept for notices', async () => {
    const { engine, credential } = running;
    await wantEvents(running, { ofPersons: ['CONDITION'] });
    await registerBookable(running, { phone: 1, rigs: 2, desk: 1 });
    const start = Math.ceil(Date.now() / 1000) + 3600;
    const [ann, hour] = ['person:ann@example.com', { start, end: start + 3600 }];
    const next = { start: start + 7200, end: start + 10_800 };
    const asked = [
      { resource: 'phone', requester: 'ci', ...hour },
      { resource: 'phone', requester: ann, ...next },
      { resource: 'rigs', requester: ann, ...hour },
      { resource: 'desk', requester: 'ci', ...hour },
    ];
    expect((await book(engine, credential, { bookings: asked, skipConflicts: false })).result.status).toBe('BOOKED');
    for (const condition of ['out', 'dirty', 'ready'] as const) await set('phone', condition);
    for (const resource of ['desk', 'rigs']) await set(resource, 'out');
    const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString();
    const booked = asked.map(({ requester, ...times }) => ({
      requester,
      start: isoOf(times.start),
      end: isoOf(times.end),
    }));
    expect((await entriesIn(engine.redis, credential.tenant)).flatMap(({ lines }) => lines)).toMatchObject([
      { type: 'CONDITION', resource: 'phone', explanation: 'out', requester: null, booked: booked.slice(0, 2) },
      { resource: 'phone', explanation: 'dirty', booked: booked.slice(0, 2) },
      { resource: 'rigs_0', explanation: 'out', booked: booked.slice(2, 3) },
    ]);
  });
});
