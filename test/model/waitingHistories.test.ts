/**
 * The engine's queue against the model's, in random histories of two tenants. One that fails is shrunk and printed as a
 * line. Put into foundWaiting.jsonl, it is run again for good.
 */
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { STEERED_CLOCK } from '../support/clock.ts';
import { SMALL_PIECES, startEngine } from '../support/engine.ts';
import { makeTenant } from '../support/service.ts';
import { addThis, HISTORIES, readFound, SEED } from './found.ts';
import { run } from './twoTenants.ts';
import { crowdedHistories, type History, histories, type Step } from './waitingSteps.ts';

/** Of each tenant. */
const STEPS = 100;
const KINDS = 4;
const EACH = Math.ceil(HISTORIES / KINDS);
const FILE = 'foundWaiting.jsonl';
const Found = z.object({
  why: z.string(),
  cap: z.number().nullable(),
  steps: z.array(z.unknown()),
  other: z.array(z.unknown()).optional(),
  pieces: z.literal('smallest').optional(),
});

async function runOnEngine(history: History, includes: Readonly<Record<string, string>> = {}): Promise<void> {
  const limits = history.cap === null ? {} : { reservations: history.cap };
  const start = () =>
    startEngine(makeTenant(), inject('redisUrl'), { 'frame/now': STEERED_CLOCK, ...includes }, limits);
  const [one, other] = await Promise.all([start(), start()]);
  await run([one, other], history).finally(() => {
    one.stop();
    other.stop();
  });
}

describe('the engine serves who waits as the model does', () => {
  test.each([
    ['histories', histories, {}],
    ['histories, settled in the smallest pieces', histories, SMALL_PIECES],
    ['histories of a crowd', crowdedHistories, {}],
    ['histories of a crowd, settled in the smallest pieces', crowdedHistories, SMALL_PIECES],
  ])(`in ${EACH} random %s, of seed ${SEED}`, { timeout: 60_000 + EACH * 3000 }, async (_, make, includes) => {
    const running = await startEngine();
    try {
      await fc.assert(
        fc.asyncProperty(make(STEPS), async (history) => {
          await runOnEngine(history, includes);
        }),
        {
          numRuns: EACH,
          seed: SEED,
          endOnFailure: false,
          interruptAfterTimeLimit: 60_000 + EACH * 2500,
          reporter: (out) => {
            if (!out.failed) return;
            const message = out.errorInstance instanceof Error ? out.errorInstance.message : String(out.errorInstance);
            throw new Error(addThis(message, FILE, out.counterexample?.[0] ?? {}));
          },
        },
      );
    } finally {
      running.stop();
    }
  });
});

describe('histories that once failed', () => {
  test.each(readFound(FILE, Found))('$why', async ({ cap, steps, other, pieces }) => {
    // The test above has printed the lines of the file.
    const history = { cap, steps: steps as Step[], other: other as Step[] | undefined };
    await expect(runOnEngine(history, pieces === 'smallest' ? SMALL_PIECES : {})).resolves.toBeUndefined();
  });
});
