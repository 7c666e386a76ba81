/**
 * The engine's queue against the model's, in random histories: HISTORIES of them, 60 unless set. A history that fails
 * is shrunk and printed; put into foundWaiting.json it is run again for good.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startEngine } from '../support/engine.ts';
import { makeTenant } from '../support/service.ts';
import found from './foundWaiting.json' with { type: 'json' };
import { run } from './waitingHistory.ts';
import { histories, type Step } from './waitingSteps.ts';

const HISTORIES = Number(process.env.HISTORIES ?? 60);
const STEPS = 150;

describe('the engine serves who waits as the model does', () => {
  test(`in ${HISTORIES} random histories`, { timeout: 60_000 + HISTORIES * 3000 }, async () => {
    const running = await startEngine();
    try {
      await fc.assert(
        fc.asyncProperty(histories(STEPS), async (history) => {
          const engine = await startEngine(makeTenant());
          await run(engine, history).finally(() => engine.stop());
        }),
        {
          numRuns: HISTORIES,
          endOnFailure: false,
          interruptAfterTimeLimit: 60_000 + HISTORIES * 2500,
          reporter: (out) => {
            if (!out.failed) return;
            const message = out.errorInstance instanceof Error ? out.errorInstance.message : String(out.errorInstance);
            const history = JSON.stringify(out.counterexample?.[0]);
            throw new Error(
              `${message}\nAdd this history to test/model/foundWaiting.json to run it again:\n${history}`,
            );
          },
        },
      );
    } finally {
      running.stop();
    }
  });
});

describe.runIf(found.length > 0)('histories that once failed', () => {
  test.each(found)('$why', async ({ history }) => {
    const engine = await startEngine();
    // What is in the file was printed by the test above.
    await expect(run(engine, history as Step[]).finally(() => engine.stop())).resolves.toBeUndefined();
  });
});
