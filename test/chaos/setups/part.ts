/** A process of a campaign that can be broken: it is started again with the data and at the port that it had. */

import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GuardedProcess } from '../../../scripts/guardedProcess.ts';
import { until } from '../../support/until.ts';
import type { Part, Program } from '../system.ts';

/** Length of its log that is kept for reports, in bytes. */
const LOG_BYTES = 8192;

export interface StoppablePart extends Part {
  /** Ends it for good. */
  stop(): Promise<void>;
}

type Known = Pick<Part, 'name' | 'kind' | 'host' | 'port'> & {
  /** The file that it logs to. */
  readonly logFile: string;
};

/**
 * Starts a part.
 * @param start starts the process; resolves when it listens
 */
export async function startPart(
  { logFile, ...known }: Known,
  start: (program?: Program) => Promise<GuardedProcess>,
): Promise<StoppablePart> {
  let isRunning = false;
  const begin = async (program?: Program) => {
    const begun = await start(program);
    isRunning = true;
    void begun.ended.then(() => {
      isRunning = false;
    });
    return begun;
  };
  let server = await begin();
  return {
    ...known,
    get pid() {
      return server.pid;
    },
    get isRunning() {
      return isRunning;
    },
    log: () => endOf(logFile),
    signal: async (signal) => {
      if (!isRunning) throw new Error(`${known.name} does not run`);
      process.kill(server.pid, signal);
      if (signal === 'SIGKILL' || signal === 'SIGTERM') await until(`${known.name} ends`, () => !isRunning);
    },
    restart: async (program) => {
      if (isRunning) throw new Error(`${known.name} still runs`);
      server = await begin(program);
    },
    stop: () => server.stop(),
  };
}

function endOf(file: string): string {
  if (!existsSync(file)) return '';
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, LOG_BYTES));
    readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString();
  } finally {
    closeSync(descriptor);
  }
}

/** Deletes what a campaign leaves on the machine, even if the campaign is killed. */

/**
 * Starts a shell that does so when its input ends, because this process has ended or says so.
 * @param folder of data and logs. Processes may write to it until their own guards have killed them
 * @param removal a command that removes what else there is, such as a network
 * @returns has it done, and resolves when it is done
 */
export function startCleanup(folder: string, removal = 'true'): () => Promise<void> {
  const script = `cat; ${removal}; rm -rf "$0" || { sleep 2; rm -rf "$0"; }`;
  const child = spawn('sh', ['-c', script, folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.unref();
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
  return () => {
    child.ref();
    child.stdin.end();
    return exited;
  };
}

/** Clocks of Redis that can be moved: a library that is preloaded into each Redis adds the ms that a file holds. */

const SOURCE = fileURLToPath(new URL('clockShim.c', import.meta.url));

export interface Clocks {
  /** The environment of a Redis. Its clock is right at first, and stays as it is set when Redis is restarted. */
  envOf(name: string): Readonly<Record<string, string>>;
  /** Sets how far the clock of a Redis is ahead of the true time, in ms. */
  set(name: string, aheadMs: number): void;
}

/**
 * Compiles the library.
 * @param folder of the library and of the clocks' files
 * @returns null if this machine has no C compiler, or preloads no libraries
 */
export function makeClocks(folder: string): Clocks | null {
  const library = join(folder, 'clock.so');
  try {
    execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, SOURCE, '-ldl'], { stdio: 'ignore' });
  } catch {
    return null;
  }
  if (process.platform !== 'linux') return null;
  const fileOf = (name: string) => join(folder, `${name}.clock`);
  const set = (name: string, aheadMs: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(Math.round(aheadMs)));
    // Not truncated before: Redis has it mapped.
    writeFileSync(fileOf(name), bytes, { flag: 'r+' });
  };
  return {
    envOf: (name) => {
      writeFileSync(fileOf(name), Buffer.alloc(8), { flag: 'a' });
      return { LD_PRELOAD: library, HOLDFAST_CLOCK: fileOf(name) };
    },
    set,
  };
}
