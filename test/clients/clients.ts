/** The clients that pass the scenarios of this folder, and how their programs are started (README.md). */
import { inject } from 'vitest';
import { fakeClock } from '../support/languages.ts';

/** How a program is started. */
export interface Start {
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Client {
  readonly name: string;
  readonly canFork: boolean;
  /** True if its tools are on this machine. Nothing is installed. */
  isReady(): boolean;
  /** @throws Error that says what to install, if a tool is missing and cannot be installed */
  start(): Promise<Start>;
  /** The same program with a wall clock that a file sets, as in fakeClock(). */
  startWithClock(file: string): Promise<Start>;
}

const TYPESCRIPT: Client = {
  name: 'typescript',
  canFork: false,
  isReady: () => true,
  start: async () => ({ command: [process.execPath, inject('programs').conform] }),
  startWithClock: async (file) => ({ ...(await TYPESCRIPT.start()), env: fakeClock(file) }),
};

export const CLIENTS: readonly Client[] = [TYPESCRIPT];

/** The clients whose tools are there. Writes one line about the others. */
export function readyClients(): readonly Client[] {
  const missing = CLIENTS.filter((client) => !client.isReady()).map(({ name }) => name);
  if (missing.length > 0)
    process.stdout.write(`Skipped, since tools are missing (CONTRIBUTING.md): ${missing.join(', ')}\n`);
  return CLIENTS.filter((client) => client.isReady());
}
