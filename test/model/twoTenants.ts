/** Carries out histories of two tenants. */
import { inject } from 'vitest';
import { STEERED_CLOCK } from '../support/clock.ts';
import { type RunningEngine, startEngine } from '../support/engine.ts';
import { makeTenant } from '../support/service.ts';
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

/**
 * Carries out a history on two tenants of its own.
 * @param includes parts of the library in place of its own
 * @throws where the engine's answers or its state differ from the model's
 */
export async function runOnEngine(history: History, includes: Readonly<Record<string, string>> = {}): Promise<void> {
  const limits = history.cap === null ? {} : { reservations: history.cap };
  const start = () =>
    startEngine(makeTenant(), inject('redisUrl'), { 'frame/now': STEERED_CLOCK, ...includes }, limits);
  const [one, other] = await Promise.all([start(), start()]);
  await run([one, other], history).finally(() => {
    one.stop();
    other.stop();
  });
}
