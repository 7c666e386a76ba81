/** Steps of the clock of a Redis, and back. */
import type { Random } from '../random.ts';
import type { System } from '../system.ts';
import { during, fault, seconds } from './make.ts';
import { somePrimary } from './nodes.ts';

async function step(system: System, random: Random, sign: 1 | -1) {
  const target = await somePrimary(system, random);
  // Small steps as often as large ones.
  const clockStepMs = sign * Math.round(200 * 300 ** random.next());
  const ms = random.between(1000, 5000);
  await system.setClock(target, clockStepMs);
  await during(ms, () => system.setClock(target, 0));
  return { targets: [target], clockStepMs, detail: `${target.name} by ${seconds(clockStepMs)} for ${seconds(ms)}` };
}

const canStepClock = ({ canStepClock: can }: System['traits']) => can;

export const CLOCK_FAULTS = [
  fault('clock-forward', canStepClock, (system, random) => step(system, random, 1)),
  fault('clock-backward', canStepClock, (system, random) => step(system, random, -1)),
];
