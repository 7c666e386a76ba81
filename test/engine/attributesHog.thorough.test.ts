/**
 * Attributes (docs/specification.md#attributes) keep Redis busy for no longer than other requests, however large they
 * are: what they cost is part of the work budget.
 */
import { beforeAll, expect, test } from 'vitest';
import type { Definition } from '../../src/contract/definitions.ts';
import { deleteDefinition, NOW, register } from '../../src/engine/definitions/changes.ts';
import { toStored } from '../../src/engine/definitions/codec.ts';
import { copyDefinitions, takeCopyLease } from '../../src/engine/definitions/copy.ts';
import { definitions } from '../../src/engine/definitions/list.ts';
import { reserve } from '../support/verbs.ts';
import { BATCH, fresh, long, range, reserveOf, resources, running, times, useHog } from './hog/hog.ts';
import { MAX_MS } from './hog/scriptTimes.ts';

useHog({ readsPerMinute: 1e8 });

/** Sets of the greatest size: of letters, and of characters that JSON writes in six. */
const LARGE = { a: 'x'.repeat(1023), b: 'x'.repeat(1023) };
const ESCAPED = { a: '\u0001'.repeat(1023), b: '\u0001'.repeat(1023) };
/** Of 1,000 slots in 64 KiB. */
const MANY = range(1000, (i) => ({ k: `${i}`.padEnd(64, 'x') }));
const pool = (name: string, slotAttributes: Definition['slotAttributes'] = MANY): Definition => ({
  ...{ name, capacity: 1000, blocks: [], treePath: null, slotAttributes },
});
const bare = (name: string): Definition => ({ name, capacity: 1000, blocks: [], treePath: null });
const one = (name: string, attributes: Definition['attributes']): Definition => ({
  ...{ name, capacity: 1, blocks: [], treePath: null, attributes },
});

beforeAll(async () => {
  const { engine, credential } = running;
  const put = async (all: readonly Definition[], many: number) => {
    for (let i = 0; i < all.length; i += many) await register(engine, credential, all.slice(i, i + many), NOW);
  };
  await put(
    range(BATCH, (i) => one(`large${i}`, LARGE)),
    100,
  );
  await put(
    range(BATCH, (i) => one(`escaped${i}`, ESCAPED)),
    50,
  );
  await put([pool('pool'), pool('held'), ...range(12, (i) => pool(`pool${i}`))], 2);
  await put(
    range(6, (i) => pool(long(`long${i}`))),
    2,
  );
  await put(
    range(50, (i) => ({
      ...pool(
        `full${i}`,
        range(31, () => LARGE),
      ),
      attributes: LARGE,
    })),
    5,
  );
  await put(
    [{ ...bare('parent'), capacity: 1 }, ...range(8, (i) => ({ ...pool(`child${i}`), treePath: 'parent' }))],
    2,
  );
  await reserve(engine, credential, [{ resource: 'held', requester: 'r', count: BATCH }]);
});

const registerOf = (all: () => readonly Definition[]) => () => register(running.engine, running.credential, all(), NOW);

test.each<readonly [string, () => Promise<unknown>]>([
  ['reserve of 500 with the largest sets', reserveOf(...resources(BATCH, (i) => `large${i}`))],
  ['reserve of 500 with sets that are long as JSON', reserveOf(...resources(BATCH, (i) => `escaped${i}`))],
  ['reserve of 500 slots of a pool', reserveOf(...resources(BATCH, () => 'pool'))],
  ['reserve of 500 slots of as many pools', reserveOf(...resources(BATCH, (i) => `full${i % 50}`))],
  ['reserve of 150 slots at once', () => reserveOf({ resource: 'pool0', requester: fresh(), count: 150 })()],
  [
    'reserve of 500 that the requester has, of 500 slots each',
    reserveOf(...range(BATCH, () => ({ resource: 'held', requester: 'r' }))),
  ],
  ['register of 15 pools of the largest size', registerOf(() => range(15, (i) => pool(`pool${i}`, MANY.toReversed())))],
  ['register of 350 with the largest sets', registerOf(() => range(350, (i) => one(`${fresh()}${i}`, LARGE)))],
  ['register of 12 pools that keep theirs', registerOf(() => range(12, (i) => bare(`pool${i}`)))],
  ['register of 6 pools with long names that keep theirs', registerOf(() => range(6, (i) => bare(long(`long${i}`))))],
  [
    'register of 12 pools that keep those of their slots only',
    registerOf(() => range(12, (i) => ({ ...bare(`pool${i}`), attributes: { a: fresh() } }))),
  ],
  ['register of 50 that keep large ones', registerOf(() => range(50, (i) => bare(`full${i}`)))],
])('%s', async (title, operation) => {
  expect(await times.longest(title, () => operation().catch(expectTooMuchWork))).toBeLessThan(MAX_MS);
});

const expectTooMuchWork = (error: unknown) => expect(String(error)).toMatch(/over the work that one request may cause/);

test('a reserve of one slot reads the attributes of no other', async () => {
  const { engine, credential } = running;
  const few = await times.longest('reserve of one slot of few attributes', () =>
    reserve(engine, credential, [{ resource: 'large0', requester: fresh() }]),
  );
  const many = await times.longest('reserve of one slot of 1,000 with attributes', () =>
    reserve(engine, credential, [{ resource: 'pool', requester: fresh() }]),
  );
  expect(many).toBeLessThan(few + 0.3);
});

test('the list of definitions', async () => {
  const list = async () => {
    let pages = 0;
    for await (const _ of definitions(running.engine, running.credential)) if (++pages === 40) return;
  };
  expect(await times.longest('definitions with attributes', list)).toBeLessThan(MAX_MS);
});

test('registrations that remove them, and deletions', async () => {
  const { engine, credential } = running;
  const put = () => registerOf(() => range(4, (i) => pool(`removed${i}`)))();
  const all = range(4, (i) => ({ ...bare(`removed${i}`), slotAttributes: [] }));
  expect(
    await times.longest(
      'register of 4 pools that removes theirs',
      registerOf(() => all),
      put,
    ),
  ).toBeLessThan(MAX_MS);
  await expect(deleteDefinition(engine, credential, 'parent', true, NOW)).rejects.toThrow(
    'parent and the resources below it have more than 2000 labels and slotAttributes: delete parts of it first',
  );
  await expect(deleteDefinition(engine, credential, 'child0', true, NOW)).resolves.toMatchObject({ names: ['child0'] });
});

test('a copy from the database', async () => {
  const { redis } = running.engine;
  const { tenant } = running.credential;
  const copy = async () => {
    await redis.del(`{${tenant}}:copying`);
    await takeCopyLease(redis, tenant, 'lease');
    await copyDefinitions(
      redis,
      tenant,
      'lease',
      range(5, (i) => toStored(pool(`copied${i}`))),
    );
    await redis.del(`{${tenant}}:copying`);
  };
  expect(await times.longest('copy of 5 pools of the largest size', copy)).toBeLessThan(MAX_MS);
});
