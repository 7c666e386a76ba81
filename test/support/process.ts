/**
 * An instance of the service as a process of its own, for tests that kill it, or that need another environment than
 * this process has.
 */
import { spawn } from 'node:child_process';
import { inject } from 'vitest';
import { until } from './until.ts';

export interface InstanceProcess {
  readonly url: string;
  readonly pid: number;
  /** Its exit code; null where a signal ended it. */
  readonly exit: Promise<number | null>;
  /** Its log. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
}

/** Starts one and waits until it is ready. */
export async function startProcess(env: Readonly<Record<string, string>>): Promise<InstanceProcess> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [inject('programs').service], {
    env: { PATH, HOME, PORT: '0', ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += text;
    });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  void exit.then(() => process.off('exit', kill));
  const ready = until(
    'the instance',
    () => {
      if (child.exitCode !== null) throw new Error(`the instance has ended: ${output}`);
      return /"url":"([^"]+)"/.exec(output);
    },
    60_000,
  );
  const [, url = ''] = await ready.catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return { url, pid: child.pid ?? 0, exit, output: () => output, kill: (signal) => void child.kill(signal) };
}
