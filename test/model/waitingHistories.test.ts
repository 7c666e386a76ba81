/**
 * The engine's queue against the model's, in random histories of two tenants. One that fails is shrunk and printed as a
 * line. Put into foundWaiting.jsonl, it is run again for good (foundWaiting.thorough.test.ts).
 */
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { SMALL_PIECES, startEngine } from '../support/engine.ts';
import { addThis, HISTORIES, SEED } from './found.ts';
import { linedHistories } from './lineSteps.ts';
import { runOnEngine } from './twoTenants.ts';
import { crowdedHistories, histories } from './waitingSteps.ts';

/** Of each tenant. */
const STEPS = 100;
const KINDS = 5;
const EACH = Math.ceil(HISTORIES / KINDS);
const FILE = 'foundWaiting.jsonl';

describe('the engine serves who waits as the model does', () => {
  test.each([
    ['histories', histories, {}],
    ['histories, settled in the smallest pieces', histories, SMALL_PIECES],
    ['histories of lines', linedHistories, {}],
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
