/**
 * A tenant in the worst state that the caps allow, on a Redis of its own, and calls of it. Importing this file builds
 * the state before the tests. HOG=full takes it to 1,000,000 reservations and 100,000 definitions, and prints figures.
 */
import { beforeAll } from 'vitest';
import type { Definition } from '../../../src/contract/definitions.ts';
import { MAX_BLOCKS } from '../../../src/domain/maxSizes.ts';
import { NOW, register } from '../../../src/engine/definitions/changes.ts';
import { setClock } from '../../support/clock.ts';
import { reserve } from '../../support/verbs.ts';
import { BATCH, IS_FULL, long, range, running, useHog } from './hog.ts';

export { BATCH, fresh, IS_FULL, long, range, reserveOf, resources, running, times, useHog } from './hog.ts';

const RESERVATIONS = IS_FULL ? 1_000_000 : 50_000;
const DEFINITIONS = IS_FULL ? 100_000 : 10_000;

export const base = Date.now();

export const item = (
  name: string,
  { treePath = [], ...more }: { capacity?: number; blocks?: string[]; treePath?: string[] } = {},
): Definition => ({ name, capacity: 1, blocks: [], ...more, treePath: treePath.join('>') || null });

export async function registerAll(items: readonly Definition[], many = 100): Promise<void> {
  for (let i = 0; i < items.length; i += many)
    await register(running.engine, running.credential, items.slice(i, i + many), NOW);
}

useHog({ readsPerMinute: 1e8 });
beforeAll(async () => {
  const { engine, credential } = running;
  const { redis } = engine;
  await setClock(redis, credential.tenant, base);

  await registerAll(
    [
      // A chain of resources that each block the next and as many others as they may.
      ...range(300, (i) =>
        item(`chain${i}`, {
          blocks: [`chain${i + 1}`, ...range(MAX_BLOCKS - 1, (j) => `${i}-${j}-`.padEnd(100, 'b'))],
        }),
      ),
      // A crowd that block the same.
      ...range(300, (i) =>
        item(`crowd${i}`, { blocks: range(64, (j) => (j < 63 ? `crowd${(i + j + 1) % 300}` : 'Ink')) }),
      ),
      item('pool', { capacity: 100_000, blocks: range(64, (i) => `B${i}`) }),
      ...range(64, (i) => item(`B${i}`, { blocks: range(6, (j) => `Z${i}-${j}`) })),
      item('wide', { capacity: 100_000 }),
      item(long('wide'), { capacity: 100_000 }),
      // Reservations with the longest plans, and definitions that look at many of these.
      item('heavy', { capacity: 480, blocks: ['hub'] }),
      item('hub', { blocks: range(4, (i) => `hub${i}`) }),
      ...range(4, (i) => item(`hub${i}`, { blocks: range(60, (j) => `${'"'.repeat(28)}${i}${j}`) })),
      ...range(8, (i) => item(`look${i}`, { blocks: range(60, (j) => `heavy_${60 * i + j}`) })),
      item('looking', { blocks: range(8, (i) => `look${i}`) }),
      ...range(64, (i) => item(`same${i}`, { treePath: range(16, (j) => `same-${j}`) })),
      item('pile', { capacity: 1000, blocks: range(64, (i) => `same${i}`) }),
      item('piles', { blocks: range(64, (i) => `pile_${i}`) }),
      ...range(64, (i) => item(`deep${i}`, { treePath: range(16, (j) => long(`d${i % 4}-${j}`).slice(0, 200)) })),
    ],
    20,
  );
  const rest = DEFINITIONS - 1000;
  await registerAll(
    range(rest, (i) => item(i % 2 ? `child${i}` : long(`leaf${i}`), { treePath: ['parent'] })),
    500,
  );
  const labels = { many: 'x', ...Object.fromEntries(range(7, (i) => [`key${i}`.padEnd(64, 'k'), 'é'.repeat(128)])) };
  await registerAll(
    range(498, (i) => ({ ...item(`labelled${i}`), labels })),
    100,
  );
  await registerAll(
    range(240, (i) => ({ ...item(`labelledChild${i}`, { treePath: ['labelledParent'] }), labels })),
    100,
  );
  for (let i = 0; i < 480; i++)
    await reserve(engine, credential, [{ resource: 'heavy', requester: `h${i}`, ttlSeconds: 86_400 }]);
  await registerAll([item('heavy', { capacity: 480 })]);
  const count = RESERVATIONS - 20_000;
  for (let i = 0; i < count; i += 5 * BATCH)
    await Promise.all(
      range(5, (j) =>
        reserve(
          engine,
          credential,
          range(BATCH, (k) => ({ resource: `plain-${i + j * BATCH + k}`, requester: 'r', ttlSeconds: 86_400 })),
        ),
      ),
    );
}, 600_000);
