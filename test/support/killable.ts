/**
 * A service that tests kill: two instances as processes of their own, at one Redis that stores each write on disk.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/freePort.ts';
import { type RedisNode, startRedisNode } from '../../scripts/redisServer.ts';
import { createPatientRedis, type RedisClient } from '../../src/redis/client.ts';
import { createClient } from './client.ts';
import { type InstanceProcess, startProcess } from './process.ts';
import { makeConfiguredKey, makeTenant } from './service.ts';

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
