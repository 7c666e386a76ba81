/**
 * The engine against the model, in random histories. A history that fails is shrunk and printed as a line. Put into
 * found.jsonl, it is run again for good.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startEngine } from '../support/engine.ts';
import { makeTenant } from '../support/service.ts';
import { addThis, readFound } from './found.ts';
import { run } from './history.ts';
import { HISTORIES, SEED } from './random.ts';
import { type History, histories } from './steps.ts';

const STEPS = 300;
const FILE = 'found.jsonl';
const Found = z.object({ why: z.string(), history: z.array(z.unknown()) });

describe('the engine does what the model does, and stores it consistently', () => {
  test(`in ${HISTORIES} random histories of seed ${SEED}`, { timeout: 60_000 + HISTORIES * 3000 }, async () => {
    const running = await startEngine();
    try {
      await fc.assert(
        fc.asyncProperty(histories(STEPS), async (history) => {
          const engine = await startEngine(makeTenant());
          await run(engine, history).finally(() => engine.stop());
        }),
        {
          numRuns: HISTORIES,
          seed: SEED,
          endOnFailure: false,
          reporter: (out) => {
            if (!out.failed) return;
            const message = out.errorInstance instanceof Error ? out.errorInstance.message : String(out.errorInstance);
            throw new Error(addThis(message, FILE, { history: out.counterexample?.[0] }));
          },
        },
      );
    } finally {
      running.stop();
    }
  });
});

describe('histories that once failed', () => {
  test.each(readFound(FILE, Found))('$why', async ({ history }) => {
    const engine = await startEngine();
    // What is in the file was printed by the test above.
    await expect(run(engine, history as History).finally(() => engine.stop())).resolves.toBeUndefined();
  });
});
