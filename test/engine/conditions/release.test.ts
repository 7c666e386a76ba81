import { describe, expect, test } from 'vitest';
import type { AskedCondition, Condition } from '../../../src/domain/conditions.ts';
import { beginSession, endSession } from '../../../src/engine/sessions.ts';
import { setClock } from '../../support/clock.ts';
import { reset, transaction } from '../../support/verbs.ts';
import { useLab } from './lab.ts';

const lab = useLab();
let last = 0;
const fresh = () => `r${++last}`;
const GIVEN = [undefined, 'ready', 'dirty', 'out'] as const;

/** The condition that a slot gets: by what its reservation asked for, and by what the release says (GIVEN). */
const AFTER: [afterUse: 'ready' | 'dirty', asked: Condition, after: readonly Condition[]][] = [
  ['ready', 'ready', ['ready', 'ready', 'dirty', 'out']],
  ['dirty', 'ready', ['dirty', 'dirty', 'dirty', 'out']],
  ['ready', 'dirty', ['dirty', 'ready', 'dirty', 'out']],
  ['dirty', 'dirty', ['dirty', 'ready', 'dirty', 'out']],
  ['ready', 'out', ['out', 'ready', 'dirty', 'out']],
  ['dirty', 'out', ['out', 'ready', 'dirty', 'out']],
];

describe('at its end, a reservation leaves its slot in a condition', () => {
  test.each(
    AFTER.flatMap(([afterUse, asked, after]) => GIVEN.map((given, i) => [afterUse, asked, given, after[i]] as const)),
  )('after use %s, asked for %s, released as %s: %s', async (afterUse, asked, given, after) => {
    for (const capacity of [1, 3]) {
      const name = fresh();
      const slot = capacity === 1 ? name : `${name}_1`;
      await lab.register({ name, capacity, afterUse });
      await lab.set(slot, asked);
      const held = await lab.reserve(slot, 'ann', asked === 'ready' ? {} : { condition: asked });
      const result = await lab.release(held, given === undefined ? {} : { condition: given, reason: 'why' });
      expect(result).toMatchObject({ status: 'RELINQUISHED', released: [slot] });
      expect(result?.condition ?? 'ready').toBe(after);
      const isSet = given === after && after !== 'ready';
      expect(await lab.conditionOf(slot)).toBe(isSet ? `${after}: why` : after);
    }
  });

  test('an `out` stays, unless the reservation asked for it', async () => {
    for (const afterUse of ['ready', 'dirty'] as const)
      for (const asked of ['ready', 'dirty'] as const)
        for (const given of GIVEN) {
          const name = fresh();
          await lab.register({ name, afterUse });
          await lab.set(name, asked);
          const held = await lab.reserve(name, 'ann', asked === 'ready' ? {} : { condition: asked });
          await lab.set(name, 'out', 'recalled');
          const result = await lab.release(held, given === undefined ? {} : { condition: given, reason: 'why' });
          expect(result).toMatchObject({ condition: 'out' });
          expect(await lab.conditionOf(name)).toBe('out: recalled');
        }
  });
});

describe('a release of several slots', () => {
  test('gives the condition to the slots that it names, and the others what they have without one', async () => {
    const name = fresh();
    await lab.register({ name, capacity: 4, afterUse: 'dirty' });
    await lab.set(name, 'ready');
    const held = await lab.reserve(name, 'ann', { count: 3 });
    const result = await lab.release(held, { condition: 'out', reason: 'burnt', slots: [`${name}_1`, 'elsewhere'] });
    expect(result?.condition).toBe('out');
    expect(await lab.conditionsOf(name, 4)).toBe('dirty out: burnt dirty ready');
  });

  test('gives it to all of them if it names none', async () => {
    const name = fresh();
    await lab.register({ name, capacity: 3 });
    const held = await lab.reserve(name, 'ann', { count: 2 });
    expect((await lab.release(held, { condition: 'dirty' }))?.condition).toBe('dirty');
    expect(await lab.conditionsOf(name, 3)).toBe('dirty dirty ready');
  });
});

describe('afterUse', () => {
  test('applies when a lease ends, and to no cleaner', async () => {
    const [user, cleaner] = [fresh(), fresh()];
    await lab.register({ name: user, afterUse: 'dirty' }, { name: cleaner, afterUse: 'dirty' });
    await lab.set(user, 'ready');
    await lab.reserve(user, 'ann', { ttlSeconds: 1 });
    await lab.reserve(cleaner, 'janitor', { ttlSeconds: 1, condition: 'dirty' });
    const { engine, credential } = lab.running;
    await setClock(engine.redis, credential.tenant, Date.now() + 5000);
    expect(await lab.take(user, 'ben')).toBe(`NOT_AVAILABLE: ${user} needs cleaning`);
    expect(await lab.take(cleaner, 'ben')).toBe(`NOT_AVAILABLE: ${cleaner} needs cleaning`);
  });

  test('applies when a session ends', async () => {
    const name = fresh();
    await lab.register({ name, capacity: 2, afterUse: 'dirty' });
    await lab.set(name, 'ready');
    const { engine, credential } = lab.running;
    const { result } = await beginSession(engine, credential, { requester: 'ann', ttlSeconds: 600 });
    await lab.reserve(name, 'ann', { session: result.session });
    await endSession(engine, credential, { session: result.session, token: result.token });
    expect(await lab.conditionsOf(name, 2)).toBe('dirty ready');
  });

  test('applies neither to ancestors nor to blockers', async () => {
    const [above, blocker, name] = [fresh(), fresh(), fresh()];
    await lab.register(
      { name: above, afterUse: 'dirty' },
      { name: blocker, afterUse: 'dirty' },
      { name, treePath: above, blocks: [blocker], afterUse: 'dirty' },
    );
    for (const one of [above, blocker, name]) await lab.set(one, 'ready');
    await lab.use(name, 'ann');
    expect(await Promise.all([above, blocker, name].map((one) => lab.conditionOf(one)))).toEqual([
      'ready',
      'ready',
      'dirty',
    ]);
  });

  test('applies to the last one of those that hold a slot SHARED', async () => {
    for (const capacity of [1, 2]) {
      const name = fresh();
      const slot = capacity === 1 ? name : `${name}_0`;
      await lab.register({ name, capacity, afterUse: 'dirty' });
      await lab.set(slot, 'ready');
      const [ann, ben] = await Promise.all(['ann', 'ben'].map((who) => lab.reserve(slot, who, { mode: 'SHARED' })));
      expect(await lab.release(ann ?? expect.fail())).not.toHaveProperty('condition');
      expect(await lab.conditionOf(slot)).toBe('ready');
      expect(await lab.release(ben ?? expect.fail())).toMatchObject({ condition: 'dirty' });
    }
  });

  test('applies to a SHARED hold of a resource whose name is like that of a slot of another one', async () => {
    const name = fresh();
    await lab.register({ name }, { name: `${name}_0`, afterUse: 'dirty' });
    await lab.set(`${name}_0`, 'ready');
    const held = await lab.reserve(`${name}_0`, 'ann', { mode: 'SHARED' });
    expect(await lab.release(held)).toMatchObject({ condition: 'dirty' });
  });

  test('does not apply to a reservation that its own request makes and ends', async () => {
    const name = fresh();
    await lab.register({ name, afterUse: 'dirty' });
    await lab.set(name, 'ready');
    const { engine, credential } = lab.running;
    const item = { resource: name, requester: 'ann' };
    const { results } = await transaction(engine, credential, 'AS_MANY_AS_POSSIBLE', [
      { requestType: 'RESERVE', ...item },
      { requestType: 'UNRESERVE', ...item },
    ]);
    expect(results.map(({ status }) => status)).toEqual(['ACQUIRED', 'DOESNT_OWN_RESERVATION']);
  });
});

describe('a transaction', () => {
  const asItem = (held: Awaited<ReturnType<typeof lab.reserve>>) => ({
    requestType: 'UNRESERVE' as const,
    resource: held.resource,
    requester: held.requester,
    releaseToken: held.releaseToken ?? undefined,
  });

  test('sees the conditions that its earlier items have set', async () => {
    const name = fresh();
    await lab.register({ name });
    const held = await lab.reserve(name, 'ann');
    const { engine, credential } = lab.running;
    const { results } = await transaction(engine, credential, 'AS_MANY_AS_POSSIBLE', [
      { ...asItem(held), condition: 'out' },
      { requestType: 'RESERVE', resource: name, requester: 'ben' },
      { requestType: 'RESERVE', resource: name, requester: 'fixer', condition: 'out' },
    ]);
    expect(results.map(({ explanation }) => explanation)).toEqual([
      'RELINQUISHED',
      `NOT_AVAILABLE: ${name} is out of service`,
      'ACQUIRED',
    ]);
  });

  test('changes no condition if it is rolled back', async () => {
    const [name, other] = [fresh(), fresh()];
    await lab.register({ name, capacity: 2, afterUse: 'dirty' }, { name: other });
    await lab.set(name, 'ready');
    await lab.reserve(other, 'ben');
    const held = await lab.reserve(name, 'ann');
    const { engine, credential } = lab.running;
    const run = await transaction(engine, credential, 'ALL_OR_NONE', [
      { ...asItem(held), condition: 'out', reason: 'no' },
      { requestType: 'RESERVE', resource: other, requester: 'ann' },
    ]);
    expect(run.status).toBe('ROLLED_BACK');
    expect(await lab.conditionsOf(name, 2)).toBe('ready ready');
    await lab.release(held);
    expect(await lab.conditionsOf(name, 2)).toBe('dirty ready');
  });
});

describe('a reset', () => {
  test('leaves what is out of service, and what was set dirty; slots that are dirty after use are dirty', async () => {
    const [used, plain] = [fresh(), fresh()];
    await lab.register({ name: used, capacity: 3, afterUse: 'dirty' }, { name: plain, capacity: 3 });
    await lab.set(used, 'ready');
    await lab.set(`${used}_1`, 'out', 'gone');
    await lab.set(`${plain}_0`, 'dirty', 'coffee');
    await lab.set(`${plain}_2`, 'out');
    await lab.reserve(used, 'ann');
    await lab.reserve(plain, 'fixer', { condition: 'out' as AskedCondition });
    await reset(lab.running.engine, lab.running.credential);
    expect(await lab.conditionsOf(used, 3)).toBe('dirty out: gone dirty');
    expect(await lab.conditionsOf(plain, 3)).toBe('dirty: coffee ready out');
    expect(await lab.take(used, 'ann')).toBe('NOT_AVAILABLE: 1 of 3 slots is out of service, 2 need cleaning');
    expect(await lab.take(used, 'janitor', { condition: 'dirty' })).toBe(`${used}_0`);
    expect(await lab.take(plain, 'ann')).toBe(`${plain}_1`);
  });
});
