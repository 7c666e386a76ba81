/** The step without `run`: reserves for the rest of the job, and leaves a process that renews. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Call } from '../../../packages/client/src/cli/command.ts';
import { type Leased, leased } from '../../../packages/client/src/cli/commands/reservations.ts';
import { reserveFor } from '../../../packages/client/src/cli/commands/reserve.ts';
import { DEFAULT_TTL_MS } from '../../../packages/client/src/cli/commands/reserving.ts';
import { EXIT } from '../../../packages/client/src/cli/exitCodes.ts';
import { randomText } from '../../../packages/client/src/holds/requesters.ts';
import { mask, set, setOutputs, setVariablesOfJob } from './runner.ts';

/** What the process that renews is told on stdin. */
export interface Renewal {
  readonly reservations: readonly Leased[];
  readonly ttlMs: number;
  /** The runner: nobody would release once it is gone. */
  readonly runner: number;
}

/** @returns the exit code */
export async function hold(call: Call): Promise<number> {
  // The post step and the renewals exchange JWTs of their own, and have to be the same requester.
  const instance = randomText(16);
  process.env.HOLDFAST_INSTANCE = instance;
  set('GITHUB_STATE', 'instance', instance);
  const ttlMs = call.args.duration('ttl') ?? DEFAULT_TTL_MS;
  const held = await reserveFor(call, ttlMs);
  for (const { releaseToken } of held.reservations) mask(releaseToken);
  const reservations = held.reservations.map((reservation) => leased(reservation, ttlMs));
  set('GITHUB_STATE', 'reservations', JSON.stringify(reservations));
  const log = join(process.env.RUNNER_TEMP ?? tmpdir(), `holdfast-${instance}.log`);
  set('GITHUB_STATE', 'log', log);
  const pid = await startRenewals({ reservations, ttlMs, runner: process.ppid }, log);
  set('GITHUB_STATE', 'pid', String(pid));
  setOutputs(held);
  setVariablesOfJob(held);
  return EXIT.done;
}

/** The tokens go by stdin: others can see arguments and variables of a process. */
async function startRenewals(renewal: Renewal, log: string): Promise<number> {
  const file = openSync(log, 'a', 0o600);
  const child = spawn(process.execPath, [import.meta.filename, 'renew'], {
    detached: true,
    windowsHide: true,
    stdio: ['pipe', file, file],
    // Nobody masks what is in its log.
    env: { ...process.env, GITHUB_ACTIONS: '' },
  });
  closeSync(file);
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.stdin?.once('error', reject);
    child.stdin?.end(JSON.stringify(renewal), resolve);
  });
  child.unref();
  return child.pid ?? 0;
}
