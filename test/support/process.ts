/**
 * An instance of the service as a process of its own, for tests that kill it, or that need another environment than
 * this process has.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
import { type RedisNode, startRedisNode } from '../../scripts/redisServer.ts';
import { createPatientRedis, type RedisClient } from '../../src/redis/client.ts';
import { createClient } from './client.ts';
import { makeConfiguredKey, makeTenant } from './service.ts';
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

/**
 * A service that tests kill: two instances as processes of their own, at one Redis that stores each write on disk.
 */

export class Killable {
  readonly key: string;
  readonly redis: RedisClient;
  readonly #env: Readonly<Record<string, string>>;
  readonly #startRedis: () => Promise<RedisNode>;
  readonly #folder: string;
  #node: RedisNode;
  #instances: InstanceProcess[] = [];

  private constructor(folder: string, node: RedisNode, start: () => Promise<RedisNode>) {
    const key = makeConfiguredKey(makeTenant());
    const url = `redis://127.0.0.1:${node.port}`;
    this.key = key.key;
    this.#folder = folder;
    this.#node = node;
    this.#startRedis = start;
    this.#env = { REDIS_URL: url, API_KEYS: JSON.stringify([key]) };
    this.redis = createPatientRedis(url);
  }

  static async start(): Promise<Killable> {
    const [port, folder] = [await freePort(), mkdtempSync(join(tmpdir(), 'holdfast-aof-'))];
    const stored = ['--appendonly', 'yes', '--appendfsync', 'always', '--dir', folder];
    const startRedis = () => startRedisNode(() => {}, port, stored);
    const service = new Killable(folder, await startRedis(), startRedis);
    service.#instances = await Promise.all([startProcess(service.#env), startProcess(service.#env)]);
    const pool = { name: 'pool', capacity: 2 };
    await createClient(service.urls[0] ?? '', service.key).register(pool);
    return service;
  }

  get urls(): string[] {
    return this.#instances.map(({ url }) => url);
  }

  /** An instance, by its place. */
  instance(i: number): InstanceProcess {
    const found = this.#instances[i];
    if (found === undefined) throw new Error('there is no such instance');
    return found;
  }

  /** Starts an instance in place of one that was killed. */
  async replace(i: number): Promise<void> {
    this.#instances[i] = await startProcess(this.#env);
  }

  /** Kills Redis, and starts it again with its stored data. */
  async crashRedis(): Promise<void> {
    process.kill(this.#node.pid, 'SIGKILL');
    await this.#node.stop();
    this.#node = await this.#startRedis();
  }

  async stop(): Promise<void> {
    for (const { kill } of this.#instances) kill('SIGKILL');
    this.redis.disconnect();
    await this.#node.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/**
 * The start script as a process, with nothing configured but what a test gives.
 */

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
