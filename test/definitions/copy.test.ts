/**
 * A copy of definitions from the database makes pools of what is held as plain resources, in bounded pieces.
 */
import { expect, test } from 'vitest';
import { toStored } from '../../src/engine/definitions/codec.ts';
import { copyDefinitions, takeCopyLease } from '../../src/engine/definitions/copy.ts';
import { startEngine } from '../support/engine.ts';
import { reserve, unreserve } from '../support/verbs.ts';

test('of more held slots than one script adopts, none is given out twice, and each is again once it is free', async () => {
  const { engine, credential, stop } = await startEngine();
  const { redis } = engine;
  const { tenant } = credential;
  const many = (count: number, resource: (i: number) => string) =>
    reserve(
      engine,
      credential,
      Array.from({ length: count }, (_, i) => ({ resource: resource(i), requester: `${resource(i)} ${i}` })),
    );
  const plain = [...(await many(400, (i) => `pool_${i}`)), ...(await many(300, (i) => `pool_${400 + i}`))];
  expect(await takeCopyLease(redis, tenant, 'lease')).toBe(true);
  expect(
    await copyDefinitions(redis, tenant, 'lease', [
      toStored({ name: 'pool', capacity: 900, treePath: null, blocks: [] }),
    ]),
  ).toBe(true);

  const slots = (results: Awaited<ReturnType<typeof many>>) =>
    results.flatMap(({ acquiredSlots }) => acquiredSlots?.pool ?? []);
  expect(slots(await many(200, () => 'pool'))).toEqual(Array.from({ length: 200 }, (_, i) => `pool_${700 + i}`));
  expect((await many(1, () => 'pool'))[0]?.status).toBe('ALREADY_HAD');
  const [refused] = await reserve(engine, credential, [{ resource: 'pool', requester: 'late' }]);
  expect(refused?.status).toBe('NOT_AVAILABLE');
  const given = [];
  for (const i of [650, 3]) {
    const one = plain[i];
    if (one === undefined) throw new Error('not held');
    expect((await unreserve(engine, credential, [one]))[0]?.released).toEqual([`pool_${i}`]);
    given.push(...slots(await reserve(engine, credential, [{ resource: 'pool', requester: `next ${i}` }])));
  }
  expect(given).toEqual(['pool_650', 'pool_3']);
  stop();
});
