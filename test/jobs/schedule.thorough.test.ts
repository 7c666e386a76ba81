/**
 * Schedules come back by themselves, whatever happened to the chain of BullMQ's jobs in Redis.
 */
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
import { type RedisNode, startRedisNode } from '../../scripts/redisServer.ts';
import { type Schedule, startSchedule } from '../../src/jobs/schedule.ts';
import { createPatientRedis, type RedisClient } from '../../src/redis/client.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { until } from '../support/until.ts';

const BACK_WITHIN_MS = 5000;
const EVERY_MS = 500;
const log = createLogger('silent');
const start = async (port: number) => startRedisNode(() => {}, port);

/** A Redis of a test's own, and the workers at it. */
class Work {
  runs = 0;
  readonly looking: Redis;
  #node: RedisNode;
  readonly #connections: RedisClient[] = [];
  readonly #schedules: Schedule[] = [];

  constructor(node: RedisNode) {
    this.#node = node;
    this.looking = new Redis(node.port).on('error', () => {});
  }

  get redisPid(): number {
    return this.#node.pid;
  }

  startWorker(everyMs = EVERY_MS, run = async () => {}): void {
    const connection = createPatientRedis(`redis://127.0.0.1:${this.#node.port}`);
    this.#connections.push(connection);
    const counted = async () => {
      this.runs++;
      await run();
    };
    this.#schedules.push(startSchedule(connection, { name: 'work', everyMs, run: counted }, log));
  }

  /** Waits for two more runs. */
  async comeRound(withinMs?: number): Promise<void> {
    const before = this.runs;
    await until('runs start', () => this.runs >= before + 2, withinMs);
  }

  async restartRedis(): Promise<void> {
    process.kill(this.#node.pid, 'SIGKILL');
    await this.#node.stop();
    this.#node = await start(this.#node.port);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#schedules.map((schedule) => schedule.close()));
    for (const connection of [...this.#connections, this.looking]) connection.disconnect();
    await this.#node.stop();
  }
}

/** Runs a test with a Redis of its own. */
async function atWork(body: (work: Work) => Promise<void>): Promise<void> {
  const work = new Work(await start(await freePort()));
  await body(work).finally(() => work.stop());
}

// All at once: they wait for runs.
describe.concurrent('workers', () => {
  test('run a job in run: together as often as one worker does', () =>
    atWork(async (work) => {
      for (let i = 0; i < 3; i++) work.startWorker();
      await work.comeRound();
      const [before, from] = [work.runs, performance.now()];
      await until('several runs', () => work.runs >= before + 10);
      const expected = (performance.now() - from) / EVERY_MS;
      expect(work.runs - before).toBeLessThanOrEqual(expected + 2);
    }));

  test('start runs by their own timer while BullMQ does not answer', () =>
    atWork(async (work) => {
      work.startWorker();
      await work.comeRound();
      process.kill(work.redisPid, 'SIGSTOP');
      await work.comeRound(10_000).finally(() => process.kill(work.redisPid, 'SIGCONT'));
    }));

  test('start the next run after one that fails', () =>
    atWork(async (work) => {
      work.startWorker(EVERY_MS, async () => {
        throw new Error('a bad run');
      });
      await work.comeRound();
    }));
});

describe.concurrent('runs start again within 5 s', () => {
  test('of a FLUSHALL', () =>
    atWork(async (work) => {
      work.startWorker();
      await work.comeRound();
      await work.looking.flushall();
      await work.comeRound(BACK_WITHIN_MS);
    }));

  test('of a FLUSHALL, though the next run would have come minutes later', () =>
    atWork(async (work) => {
      work.startWorker(300_000);
      await until('the first run', () => work.runs === 1);
      await work.looking.flushall();
      await until('the next run', () => work.runs >= 2, BACK_WITHIN_MS);
    }));

  test('of a restart of a Redis that keeps nothing', () =>
    atWork(async (work) => {
      work.startWorker();
      await work.comeRound();
      await work.restartRedis();
      await work.comeRound(BACK_WITHIN_MS);
    }));

  test.each([
    ['out of memory', (client: Redis) => client.config('SET', 'maxmemory', '1'), ['maxmemory', '0']],
    [
      'read-only',
      (client: Redis) => client.config('SET', 'min-replicas-to-write', '1'),
      ['min-replicas-to-write', '0'],
    ],
  ])('of a Redis that was %s, where runs came late', (_, refuse, [name = '', value = '']) =>
    atWork(async (work) => {
      work.startWorker();
      await work.comeRound();
      await refuse(work.looking);
      await until('a run was missed', async () => {
        const [, next = '0'] = await work.looking.zrange('{bull}:work:repeat', '0', '0', 'WITHSCORES');
        return Number(next) < Date.now() - 3 * EVERY_MS;
      });
      await work.looking.config('SET', name, value);
      await work.comeRound(BACK_WITHIN_MS);
    }),
  );
});
