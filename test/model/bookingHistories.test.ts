/**
 * The engine's bookings against the model's, in random histories. One that fails is shrunk and printed as a line. Put
 * into foundBookings.jsonl, it is run again for good.
 */
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { STEERED_CLOCK } from '../support/clock.ts';
import { SMALL_PIECES, startEngine } from '../support/engine.ts';
import { makeTenant } from '../support/service.ts';
import { bookingHistories, type KINDS } from './bookingSteps.ts';
import { addThis, HISTORIES, readFound, SEED } from './found.ts';
import { begin } from './waitingHistory.ts';
import type { History, Step } from './waitingSteps.ts';

const STEPS = 60;
const EACH = Math.ceil(HISTORIES / 4);
const FILE = 'foundBookings.jsonl';
const Found = z.object({ why: z.string(), cap: z.null(), steps: z.array(z.unknown()) });

async function run({ steps }: History, includes: Readonly<Record<string, string>> = {}): Promise<void> {
  const running = await startEngine(makeTenant(), inject('redisUrl'), { 'frame/now': STEERED_CLOCK, ...includes });
  try {
    const carryOut = await begin(running, null);
    for (const [i, step] of steps.entries()) await (await carryOut(i, step))();
  } finally {
    running.stop();
  }
}

describe('the engine keeps bookings as the model does', () => {
  test.each<[keyof typeof KINDS, Readonly<Record<string, string>>]>([
    ['single', {}],
    ['pool', {}],
    ['queue', {}],
    ['crowd', SMALL_PIECES],
  ])(
    `in ${EACH} random histories of a %s, of seed ${SEED}`,
    { timeout: 60_000 + EACH * 3000 },
    async (kind, includes) => {
      const running = await startEngine();
      try {
        await fc.assert(
          fc.asyncProperty(bookingHistories(kind, STEPS), (history) => run(history, includes)),
          {
            numRuns: EACH,
            seed: SEED,
            endOnFailure: false,
            interruptAfterTimeLimit: 20_000 + EACH * 1000,
            reporter: (out) => {
              if (!out.failed) return;
              const message =
                out.errorInstance instanceof Error ? out.errorInstance.message : String(out.errorInstance);
              throw new Error(addThis(message, FILE, out.counterexample?.[0] ?? {}));
            },
          },
        );
      } finally {
        running.stop();
      }
    },
  );
});

describe('histories of bookings that once failed', () => {
  test.each(readFound(FILE, Found))('$why', async ({ cap, steps }) => {
    // The test above has printed the lines of the file.
    await expect(run({ cap, steps: steps as Step[] })).resolves.toBeUndefined();
  });
});
