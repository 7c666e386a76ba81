import { describe, expect, test } from 'vitest';
import type { AfterUse } from '../../../src/domain/conditions.ts';
import { asService } from '../../../src/domain/tenants.ts';
import { deleteDefinition, NOW } from '../../../src/engine/definitions/changes.ts';
import { toStored } from '../../../src/engine/definitions/codec.ts';
import { copyDefinitions, takeCopyLease } from '../../../src/engine/definitions/copy.ts';
import { definitions, tree } from '../../../src/engine/definitions/list.ts';
import { outOfService, restoreOut } from '../../../src/engine/reservations/conditions.ts';
import { available } from '../../support/verbs.ts';
import { useLab } from './lab.ts';

const lab = useLab();
let last = 0;
const fresh = () => `d${++last}`;

describe('a registration', () => {
  test('with afterUse dirty makes all slots dirty that are not out of service', async () => {
    const name = fresh();
    await lab.register({ name, capacity: 4 });
    await lab.set(`${name}_1`, 'out', 'x');
    await lab.set(`${name}_2`, 'dirty', 'y');
    const held = await lab.reserve(name, 'ann');
    await lab.register({ name, capacity: 4, afterUse: 'dirty' });
    expect(await lab.conditionsOf(name, 4)).toBe('dirty out: x dirty: y dirty');
    expect(await lab.take(name, 'ben')).toBe('NOT_AVAILABLE: 1 of 4 slots is out of service, 3 need cleaning');
    await lab.release(held);
    expect(await lab.conditionsOf(name, 4)).toBe('dirty out: x dirty: y dirty');
    expect(await lab.take(name, 'janitor', { condition: 'dirty' })).toBe(`${name}_0`);
  });

  test('of a slot that is held does the same for its release', async () => {
    for (const capacity of [1, 2]) {
      const name = fresh();
      await lab.register({ name, capacity });
      const held = await lab.reserve(name, 'ann');
      await lab.register({ name, capacity, afterUse: 'dirty' });
      const slot = capacity === 1 ? name : `${name}_0`;
      await lab.set(slot, 'ready');
      expect(await lab.release(held)).toMatchObject({ condition: 'dirty' });
    }
  });

  test('again with afterUse dirty, or without afterUse, changes no condition', async () => {
    const name = fresh();
    await lab.register({ name, capacity: 2, afterUse: 'dirty' });
    await lab.set(`${name}_1`, 'ready');
    await lab.register({ name, capacity: 2, afterUse: 'dirty' });
    await lab.register({ name, capacity: 2 });
    expect(await lab.conditionsOf(name, 2)).toBe('dirty ready');
    await lab.use(name, 'ann');
    expect(await lab.conditionsOf(name, 2)).toBe('dirty dirty');
  });

  test('with afterUse ready leaves dirty what is dirty', async () => {
    const name = fresh();
    await lab.register({ name, capacity: 3, afterUse: 'dirty' });
    await lab.set(`${name}_1`, 'ready');
    await lab.set(`${name}_2`, 'dirty', 'oil');
    await lab.register({ name, capacity: 3, afterUse: 'ready' });
    expect(await lab.conditionsOf(name, 3)).toBe('dirty ready dirty: oil');
    await lab.use(name, 'ann');
    expect(await lab.conditionsOf(name, 3)).toBe('dirty ready dirty: oil');
    await lab.set(name, 'ready');
    expect(await lab.take(name, 'ann')).toBe(`${name}_0`);
  });

  test('with a smaller capacity drops the conditions of the slots beyond it', async () => {
    for (const afterUse of ['ready', 'dirty'] as const) {
      const name = fresh();
      await lab.register({ name, capacity: 20, afterUse });
      await lab.set(name, 'ready');
      for (const slot of [3, 9, 12, 19]) await lab.set(`${name}_${slot}`, 'out', 'x');
      await lab.set(`${name}_10`, 'dirty');
      await lab.register({ name, capacity: 10 });
      await lab.register({ name, capacity: 20 });
      const beyond = afterUse === 'dirty' ? 'dirty' : 'ready';
      const all = Array.from({ length: 20 }, (_, i) => (i === 3 || i === 9 ? 'out: x' : i < 10 ? 'ready' : beyond));
      expect(await lab.conditionsOf(name, 20)).toBe(all.join(' '));
    }
  });

  test('that makes a resource a pool, a single slot or a group drops all conditions', async () => {
    const name = fresh();
    await lab.register({ name });
    await lab.set(name, 'out');
    await lab.register({ name, capacity: 2 });
    expect(await lab.conditionsOf(name, 2)).toBe('ready ready');
    await lab.set(name, 'out');
    await lab.register({ name, capacity: 1 });
    expect(await lab.conditionOf(name)).toBe('ready');
    await lab.set(name, 'out');
    await lab.register({ name, group: true });
    await lab.register({ name, group: false });
    expect(await lab.conditionOf(name)).toBe('ready');
  });

  test('takes nothing from a held slot beyond the capacity: its condition no longer matters', async () => {
    const name = fresh();
    await lab.register({ name, capacity: 3, afterUse: 'dirty' });
    await lab.set(name, 'ready');
    const held = await lab.reserve(`${name}_2`, 'ann');
    await lab.register({ name, capacity: 2 });
    expect(await lab.release(held)).not.toHaveProperty('condition');
    await lab.register({ name, capacity: 3 });
    expect(await lab.conditionsOf(name, 3)).toBe('ready ready dirty');
    expect(await lab.take(name, 'ben', { count: 2 })).toBe(`${name}_0`);
  });
});

describe('a deletion', () => {
  test('is not prevented by a slot that is not ready, and forgets it', async () => {
    const name = fresh();
    await lab.register({ name, capacity: 2, afterUse: 'dirty' });
    await lab.set(`${name}_1`, 'out', 'x');
    await deleteDefinition(lab.running.engine, lab.running.credential, name, false, NOW);
    expect(await lab.set(name, 'out')).toBe(`NOT_VALID: ${name} is not registered: it has no condition`);
    await lab.register({ name, capacity: 2 });
    expect(await lab.conditionsOf(name, 2)).toBe('ready ready');
  });
});

describe('a request that changes the conditions of too many slots', () => {
  test('is refused', async () => {
    const { engine, credential } = lab.running;
    const [above, ...names] = [fresh(), fresh(), fresh()];
    const all = names.map((name) => ({ name, capacity: 100_000, treePath: above }));
    await lab.register({ name: above, group: true }, ...all.map((one) => ({ ...one, afterUse: 'dirty' as const })));
    await expect(lab.register(...all.map((one) => ({ ...one, afterUse: 'ready' as const })))).rejects.toThrow(
      'takes the request over the work that one request may cause',
    );
    await expect(deleteDefinition(engine, credential, above, true, NOW)).rejects.toThrow('delete parts of it first');
    for (const name of [...names, above]) await deleteDefinition(engine, credential, name, false, NOW);
  });
});

describe('Redis that has lost its data', () => {
  test('gets definitions whose slots are dirty after use, all dirty, and `out` from the copy', async () => {
    const { engine, credential } = lab.running;
    const { redis } = engine;
    const [name, single] = [fresh(), fresh()];
    await lab.register({ name, capacity: 3, afterUse: 'dirty' }, { name: single });
    await lab.set(name, 'ready');
    await lab.set(`${name}_1`, 'out', 'gone');
    await lab.set(single, 'out');
    const { slots, version } = (await outOfService(redis, credential.tenant)) ?? expect.fail();
    const copy = slots.filter(({ slot }) => [`${name}_1`, single].includes(slot));
    expect(copy).toMatchObject([{ reason: 'gone' }, { reason: null }]);
    for (const key of ['conditions', 'clean', 'definitions', 'nameIndex', 'pools', 'slots'])
      await redis.del(`{${credential.tenant}}:${key}`);
    await takeCopyLease(redis, credential.tenant, 'lease');
    const stored = (name: string, capacity: number, afterUse: AfterUse) =>
      toStored({ name, capacity, blocks: [], treePath: null, afterUse });
    await copyDefinitions(redis, credential.tenant, 'lease', [stored(name, 3, 'dirty'), stored(single, 1, 'ready')]);
    expect(await outOfService(redis, credential.tenant)).toMatchObject({ slots: [] });
    await restoreOut(redis, credential.tenant, 'lease', [...copy, { ...(copy[0] ?? expect.fail()), slot: 'unknown' }]);
    expect(await lab.conditionsOf(name, 3)).toBe('dirty out: gone dirty');
    expect(await lab.conditionOf(single)).toBe('out');
    const restored = (await outOfService(redis, credential.tenant)) ?? expect.fail();
    expect(new Map(restored.slots.map((one) => [one.slot, one]))).toEqual(new Map(copy.map((one) => [one.slot, one])));
    expect(Number(restored.version)).toBeGreaterThan(Number(version));
    await redis.del(`{${credential.tenant}}:tenant`);
    expect(await outOfService(redis, credential.tenant)).toBeNull();
  });
});

describe('what is read', () => {
  test('`available` counts slots that are free and ready', async () => {
    const { engine, credential } = lab.running;
    const name = fresh();
    await lab.register({ name, capacity: 2 });
    await lab.set(`${name}_0`, 'out');
    expect(await available(engine, credential, name)).toBe(true);
    expect(await available(engine, credential, `${name}_0`)).toBe(false);
    await lab.reserve(name, 'ann');
    expect(await available(engine, credential, name)).toBe(false);
  });

  test('`definitions` and `tree` count what is not ready', async () => {
    const { engine } = lab.running;
    const credential = asService(lab.running.credential.tenant);
    const name = fresh();
    await lab.register({ name, capacity: 6, afterUse: 'dirty' });
    await lab.set(`${name}_0`, 'ready');
    await lab.set(`${name}_1`, 'ready');
    await lab.set(`${name}_5`, 'out');
    await lab.reserve(name, 'ann');
    await lab.reserve(`${name}_5`, 'fixer', { condition: 'out' });
    for await (const { rows } of tree(engine, credential))
      expect(rows.find((row) => row.name === name)).toMatchObject({ available: 1, outOfService: 1, dirty: 3 });
    for await (const { rows } of definitions(engine, credential, { condition: 'out' })) {
      const found = rows.find((row) => row.name === name);
      expect(found).toMatchObject({ capacity: 6, outOfService: 1, dirty: 3, afterUse: 'dirty' });
    }
    await lab.set(`${name}_5`, 'ready');
    for await (const { rows } of definitions(engine, credential, { condition: 'out' }))
      expect(rows.map((row) => row.name)).not.toContain(name);
  });
});
