/** Carries out histories of two tenants. */
import type { RunningEngine } from '../support/engine.ts';
import { begin } from './waitingHistory.ts';
import type { History } from './waitingSteps.ts';

/**
 * Carries out the steps of a history: one of each tenant in turn, then both are compared. So what a script leaves to
 * settle is gone on with after a script of the other tenant.
 * @param running one engine for each of the tenants, of the same library
 * @throws where the engine's answers or its state differ from the model's
 */
export async function run(running: readonly [RunningEngine, RunningEngine], history: History): Promise<void> {
  const { cap, steps, other = [] } = history;
  const [one, another] = [await begin(running[0], cap), await begin(running[1], cap)];
  for (let i = 0; i < Math.max(steps.length, other.length); i++) {
    const [step, between] = [steps[i], other[i]];
    const compareOne = step && (await one(i, step));
    const compareAnother = between && (await another(i, between));
    await compareOne?.();
    await compareAnother?.();
  }
}
