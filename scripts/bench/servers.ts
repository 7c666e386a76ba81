/**
 * The servers that are measured, each a process of its own, and where they run.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const children: ChildProcess[] = [];

/** Starts a server and waits until it prints where it listens. */
export async function startServer(file: string, env: Record<string, string>): Promise<{ port: number; pid: number }> {
  const child = spawn(process.execPath, ['--import', 'tsx', file], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const port = await new Promise<number>((resolve) => {
    child.stdout.on('data', (text) => {
      const [, found] = /"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(String(text)) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
  });
  return { port, pid: child.pid ?? 0 };
}

export function stopServers(): void {
  for (const child of children) child.kill('SIGKILL');
}

/** With two cores or more: what is measured on one, the load and Redis on the other. */
export function pinApart(measured: readonly number[], others: readonly number[]): void {
  if (cpus().length < 2) return;
  pin(0, measured);
  pin(1, others);
}

function pin(cpu: number, pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      execFileSync('taskset', ['-acp', String(cpu), String(pid)], { stdio: 'ignore' });
    } catch {
      return; // no taskset here: the kernel places them
    }
  }
}

/** Resident memory of a process. */
export function residentKiB(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }));
}
