/** The clients that pass the scenarios of this folder, and how their programs are started (README.md). */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { fakeClock, go, python, say } from '../support/languages.ts';

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

const withFakeTime = (client: Omit<Client, 'startWithClock'>): Client => ({
  ...client,
  startWithClock: async (file) => ({ ...(await client.start()), env: fakeClock(file) }),
});

const pythonClient = (name: string, canFork: boolean, ...args: readonly string[]): Client =>
  withFakeTime({
    name,
    canFork,
    isReady: python.isReady,
    start: async () => ({ command: [python.path(), 'packages/python/conform.py', ...args] }),
  });

const GO_FOLDER = resolve('packages/go/holdfast');

/** Builds the program of the Go client. @param replaced files of it, by what they are replaced */
async function buildGo(replaced: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-go-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const [program, overlay] = [join(folder, 'conform'), join(folder, 'overlay.json')];
  writeFileSync(overlay, JSON.stringify({ Replace: replaced }));
  const args = ['build', '-overlay', overlay, '-o', program, './conform'];
  await promisify(execFile)(go.path(), args, { cwd: GO_FOLDER, env: { ...process.env, CGO_ENABLED: '0' } });
  return program;
}

let goBuilt: Promise<string> | undefined;
const goProgram = () => (goBuilt ??= buildGo());
let goWithClockBuilt: Promise<string> | undefined;
/** With the wall clock of go/wallclock.go. */
const goWithClock = () =>
  (goWithClockBuilt ??= buildGo({ [join(GO_FOLDER, 'wallclock.go')]: resolve('test/clients/go/wallclock.go') }));

export const CLIENTS: readonly Client[] = [
  withFakeTime({
    name: 'typescript',
    canFork: false,
    isReady: () => true,
    start: async () => ({ command: [process.execPath, inject('programs').conform] }),
  }),
  pythonClient('python', true),
  pythonClient('python async', false, '--async'),
  {
    name: 'go',
    canFork: false,
    isReady: go.isReady,
    start: async () => ({ command: [await goProgram()] }),
    startWithClock: async (file) => ({
      command: [await goWithClock()],
      env: { FAKETIME_TIMESTAMP_FILE: file },
    }),
  },
];

/** Installs and builds what all clients need: before the first scenario, since nothing else runs meanwhile. */
export async function prepareClients(): Promise<void> {
  for (const client of CLIENTS) await client.start();
  await goWithClock();
}

/** The clients whose tools are there. Writes one line about the others. */
export function readyClients(): readonly Client[] {
  const ready = CLIENTS.filter((client) => client.isReady());
  const missing = CLIENTS.filter((client) => !ready.includes(client)).map(({ name }) => name);
  if (missing.length > 0) say(`Skipped, since tools are missing (CONTRIBUTING.md): ${missing.join(', ')}`);
  return ready;
}
