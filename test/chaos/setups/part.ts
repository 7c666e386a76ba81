/** A process of a campaign that can be broken: it is started again with the data and at the port that it had. */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import type { GuardedProcess } from '../../../scripts/guardedProcess.ts';
import { until } from '../../support/until.ts';
import type { Part, Program } from '../system.ts';

/** How much of its log is kept for reports, in bytes. */
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
