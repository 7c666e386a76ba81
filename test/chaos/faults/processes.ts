/** Faults of the service's own processes, and of the database's. */
import type { Random } from '../random.ts';
import type { Part, Program, System } from '../system.ts';
import {
  addressesOf,
  always,
  during,
  fault,
  killFor,
  namesOf,
  partsOf,
  SERVED_WITHIN,
  seconds,
  someOf,
  stopFor,
} from './make.ts';

const STOP_MS = [1000, 20_000] as const;
const DEAD_MS = [200, 3000] as const;

/** One of a kind, sometimes all of them. */
const fewOrAll = (system: System, random: Random, kind: 'instance' | 'worker'): readonly Part[] => {
  const parts = partsOf(system, kind);
  return random.chance(0.2) ? parts : [random.pick(parts)];
};

const killInstance = fault('kill-instance', always, async (system, random) => {
  const [targets, ms] = [fewOrAll(system, random, 'instance'), random.between(...DEAD_MS)];
  await killFor(targets, ms);
  return { targets, detail: `killed ${namesOf(targets)}, started again after ${seconds(ms)}` };
});

const stopInstance = fault('stop-instance', always, async (system, random) => {
  const [targets, ms] = [fewOrAll(system, random, 'instance'), random.between(...STOP_MS)];
  await stopFor(targets, ms);
  return { targets, detail: `stopped ${namesOf(targets)} for ${seconds(ms)}` };
});

const killWorker = fault('kill-worker', always, async (system, random) => {
  const [targets, ms] = [fewOrAll(system, random, 'worker'), random.between(...DEAD_MS)];
  await killFor(targets, ms);
  const detail = `killed ${namesOf(targets)}, started again after ${seconds(ms)}`;
  return { targets, sparedAddresses: addressesOf(system), detail };
});

const stopWorker = fault('stop-worker', always, async (system, random) => {
  const [targets, ms] = [fewOrAll(system, random, 'worker'), random.between(...STOP_MS)];
  await stopFor(targets, ms);
  const detail = `stopped ${namesOf(targets)} for ${seconds(ms)}`;
  return { targets, sparedAddresses: addressesOf(system), detail };
});

async function restartInTurn(parts: readonly Part[], program?: Program): Promise<void> {
  for (const part of parts) {
    await part.signal('SIGTERM');
    await part.restart(program);
  }
}

/** A rolling restart: each instance drains before it ends, and the balancer sends its callers to the others. */
const leaveInstance = fault('leave-instance', always, async (system, random) => {
  const targets = someOf(random, partsOf(system, 'instance'));
  await restartInTurn(targets);
  const detail = `ended ${namesOf(targets)} by SIGTERM, one after the other, and started them again`;
  return { targets, sparedAddresses: ['balancer'], detail };
});

/** Instances, and beside them workers, go over to another build one by one, run with it for a while, and go back. */
const rollingUpdate = fault(
  'rolling-update',
  ({ hasOtherProgram }) => hasOtherProgram,
  async (system, random) => {
    const [program, other] = system.programs;
    if (program === undefined || other === undefined) throw new Error('there is no other build');
    const chains = [someOf(random, partsOf(system, 'instance')), someOf(random, partsOf(system, 'worker'))];
    const targets = chains.flat();
    const update = (to: Program) => Promise.all(chains.map((parts) => restartInTurn(parts, to)));
    const ms = random.between(500, 5000);
    await update(other);
    await during(ms, () => update(program));
    const detail = `updated ${namesOf(targets)} to ${other.name}, and after ${seconds(ms)} back to ${program.name}`;
    return { targets, sparedAddresses: ['balancer'], detail };
  },
);

/** "If the database is unavailable, reserving, releasing and events go on." */
const sparedWithoutDatabase = (system: System) => ({
  servedWithinMs: SERVED_WITHIN.database,
  sparedAddresses: addressesOf(system),
  sparedVerbs: ['reserve', 'unreserve', 'renew', 'transaction', 'cancel', 'beginSession', 'renewSession'] as const,
});

const killPostgres = fault(
  'kill-postgres',
  ({ hasDatabase }) => hasDatabase,
  async (system, random) => {
    const [targets, ms] = [partsOf(system, 'postgres'), random.between(...DEAD_MS)];
    await killFor(targets, ms);
    const detail = `killed the database, started again after ${seconds(ms)}`;
    return { targets, ...sparedWithoutDatabase(system), detail };
  },
);

const stopPostgres = fault(
  'stop-postgres',
  ({ hasDatabase }) => hasDatabase,
  async (system, random) => {
    const [targets, ms] = [partsOf(system, 'postgres'), random.between(...STOP_MS)];
    await stopFor(targets, ms);
    const detail = `stopped the database for ${seconds(ms)}`;
    return { targets, ...sparedWithoutDatabase(system), detail };
  },
);

export const PROCESS_FAULTS = [
  killInstance,
  stopInstance,
  killWorker,
  stopWorker,
  leaveInstance,
  rollingUpdate,
  killPostgres,
  stopPostgres,
];
