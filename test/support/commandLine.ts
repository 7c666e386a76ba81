/** The command line `holdfast` as a process: bundled once, and run against an instance of the service. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';
import { COMMAND_LINE } from '../../scripts/bundling.ts';
import { type Instance, startInstance } from './service.ts';
import { until } from './until.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
/** A folder for files that commands read and write. */
export const folder = mkdtempSync(join(tmpdir(), 'holdfast-files-'));
process.once('exit', () => {
  for (const made of [FOLDER, folder]) rmSync(made, { recursive: true, force: true });
});

/** A folder for the PATH: it has the program `holdfast`. */
export const BIN = FOLDER;
const PROGRAM = join(BIN, 'holdfast');

let built: Promise<unknown> | undefined;

async function bundle(): Promise<void> {
  await build({ ...COMMAND_LINE, outdir: BIN, outExtension: { '.js': '.mjs' } });
  chmodSync(`${PROGRAM}.mjs`, 0o755);
  symlinkSync(`${PROGRAM}.mjs`, PROGRAM);
}

export interface Ended {
  /** null: a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  stdout(): string;
  stderr(): string;
  /** @param pid that of a group: negative. The default is the process alone */
  kill(signal: NodeJS.Signals, pid?: number): void;
  write(text: string): void;
  /** Waits until it has printed a text, on stdout or stderr. */
  prints(text: string): Promise<void>;
}

export interface Options {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Its whole stdin. Null: it stays open for write(). */
  readonly stdin?: string | null;
  /** In a process group, and a session, of its own. */
  readonly detached?: boolean;
}

/** Starts a program with `holdfast` on the PATH. */
export async function start(command: readonly string[], options: Options = {}): Promise<Running> {
  built ??= bundle();
  await built;
  const [file = '', ...args] = command;
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(file, args, {
    env: { HOME, PATH: `${BIN}:${PATH}`, ...options.env },
    detached: options.detached ?? false,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const texts = { stdout: '', stderr: '' };
  child.stdout.on('data', (text) => {
    texts.stdout += text;
  });
  child.stderr.on('data', (text) => {
    texts.stderr += text;
  });
  child.stdin.on('error', () => {}); // It need not read it.
  if (options.stdin !== null) child.stdin.end(options.stdin);
  let isEnded = false;
  child.once('close', () => {
    isEnded = true;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...texts }));
  });
  const pid = child.pid ?? 0;
  return {
    pid,
    ended,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    kill: (signal, target = pid) => void process.kill(target, signal),
    write: (text) => void child.stdin.write(text),
    prints: async (text) => {
      await until(`${command.join(' ')} to print ${text}`, () => {
        const printed = (texts.stdout + texts.stderr).includes(text);
        if (printed || !isEnded) return printed;
        throw new Error(`it has ended without printing ${text}: ${texts.stdout}${texts.stderr}`);
      });
    },
  };
}

/** Starts `holdfast`. */
export const startHoldfast = (args: readonly string[], options?: Options): Promise<Running> =>
  start([PROGRAM, ...args], options);

/** Runs `holdfast` to its end. */
export const holdfast = async (args: readonly string[], options?: Options): Promise<Ended> =>
  (await startHoldfast(args, options)).ended;

export let service: Instance;
export let env: Readonly<Record<string, string>>;

/** Starts an instance for run(), bash() and json(). To be called at the top of a test file. */
export function useService(): void {
  beforeAll(async () => {
    service = await startInstance();
    env = { HOLDFAST_URL: service.url, HOLDFAST_KEY: service.key };
  });
  afterAll(() => service.stop());
}

/** Runs `holdfast` with the address and the key of the instance. */
export const run = (args: readonly string[], options: Options = {}): Promise<Ended> =>
  holdfast(args, { ...options, env: { ...env, ...options.env } });

/** Runs lines of bash, with `holdfast` on the PATH. */
export const bash = async (script: string): Promise<Ended> =>
  (await start(['bash', '--norc', '-euc', script], { env, cwd: folder })).ended;

export const json = async (...args: readonly string[]): Promise<unknown> => {
  const { stdout } = await run([...args, '--json']);
  return JSON.parse(stdout);
};
