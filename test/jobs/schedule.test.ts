/**
 * Schedules come back by themselves, whatever happened to the chain of BullMQ's jobs in Redis.
 */
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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

let node: RedisNode;
let looking: Redis;
let connections: RedisClient[];
let schedules: Schedule[];
let turns: number;
beforeEach(async () => {
  node = await start(await freePort());
  looking = new Redis(node.port).on('error', () => {});
  turns = 0;
  connections = [];
  schedules = [];
});
afterEach(async () => {
  await Promise.all(schedules.map((schedule) => schedule.close()));
  for (const connection of [...connections, looking]) connection.disconnect();
  await node.stop();
});

function startWorker(everyMs = EVERY_MS, turn = async () => {}): void {
  const connection = createPatientRedis(`redis://127.0.0.1:${node.port}`);
  connections.push(connection);
  const counted = async () => {
    turns++;
    await turn();
  };
  schedules.push(startSchedule(connection, { name: 'work', everyMs, turn: counted }, log));
}

const comeRound = async (withinMs?: number) => {
  const before = turns;
  await until('turns come round', () => turns >= before + 2, withinMs);
};

test('workers take turns: together no more than one worker does', async () => {
  for (let i = 0; i < 3; i++) startWorker();
  await comeRound();
  const [before, from] = [turns, performance.now()];
  await until('several turns', () => turns >= before + 10);
  const expected = (performance.now() - from) / EVERY_MS;
  expect(turns - before).toBeLessThanOrEqual(expected + 2);
});

describe('turns come round again within 5 s', () => {
  test('of a FLUSHALL', async () => {
    startWorker();
    await comeRound();
    await looking.flushall();
    await comeRound(BACK_WITHIN_MS);
  });

  test('of a FLUSHALL, though the next turn would have come minutes later', async () => {
    startWorker(300_000);
    await until('the first turn', () => turns === 1);
    await looking.flushall();
    await until('the next turn', () => turns >= 2, BACK_WITHIN_MS);
  });

  test('of a restart of a Redis that keeps nothing', async () => {
    startWorker();
    await comeRound();
    process.kill(node.pid, 'SIGKILL');
    await node.stop();
    node = await start(node.port);
    await comeRound(BACK_WITHIN_MS);
  });

  test.each([
    ['out of memory', (client: Redis) => client.config('SET', 'maxmemory', '1'), ['maxmemory', '0']],
    [
      'read-only',
      (client: Redis) => client.config('SET', 'min-replicas-to-write', '1'),
      ['min-replicas-to-write', '0'],
    ],
  ])('of a Redis that was %s, where turns came late', async (_, refuse, [name = '', value = '']) => {
    startWorker();
    await comeRound();
    await refuse(looking);
    await until('a turn was missed', async () => {
      const [, next = '0'] = await looking.zrange('{bull}:work:repeat', '0', '0', 'WITHSCORES');
      return Number(next) < Date.now() - 3 * EVERY_MS;
    });
    await looking.config('SET', name, value);
    await comeRound(BACK_WITHIN_MS);
  });
});

test('a worker takes turns by its own timer while BullMQ does not answer', async () => {
  startWorker();
  await comeRound();
  process.kill(node.pid, 'SIGSTOP');
  await comeRound(10_000);
  process.kill(node.pid, 'SIGCONT');
});

test('a turn that fails is followed by the next', async () => {
  startWorker(EVERY_MS, async () => {
    throw new Error('a bad turn');
  });
  await comeRound();
});
