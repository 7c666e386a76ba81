/**
 * The start script as a process, with nothing configured but what a test gives.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { createClient } from './client.ts';
import { until } from './until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Whatever else the machine does meanwhile. */
export const START_WITHIN_MS = 60_000;

export interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly errors: () => string;
  readonly exit: Promise<number | null>;
}

const running: ChildProcess[] = [];

/** Ends what tests have started: for afterEach(). */
export function killStarted(): void {
  for (const child of running.splice(0)) child.kill('SIGKILL');
}

/**
 * Runs the start script.
 * @param env all of its environment, besides PATH and HOME
 * @param args of Node
 */
export function start(env: Record<string, string> = {}, args: readonly string[] = [inject('programs').start]): Started {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { PATH, HOME, ...env } });
  running.push(child);
  const text = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) child[stream].on('data', (chunk) => (text[stream] += chunk));
  return {
    child,
    output: () => text.stdout,
    errors: () => text.stderr,
    exit: new Promise((resolve) => child.once('close', resolve)),
  };
}

/** Waits for the greeting of a start. Returns a client with the key that it shows. */
export const welcomed = async (started: Started) => {
  const output = () => started.output();
  const [, url = ''] = await until('the welcome', () => /ready at (\S+)/.exec(output()), START_WITHIN_MS);
  const [, key = ''] = await until('the key', () => /key (hf_local_\w+)/.exec(output()));
  return { url, key, ...createClient(url, key) };
};
