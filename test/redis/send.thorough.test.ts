import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
import { startRedisNode } from '../../scripts/redisServer.ts';
import { HoldfastError } from '../../src/domain/errors.ts';
import { createRedis } from '../../src/redis/client.ts';
import { send } from '../../src/redis/send.ts';
import { until } from '../support/until.ts';

// Side by side: they wait for real time.
describe.concurrent('a call to a Redis that is not there is given up in time for a 503 within 2 s', () => {
  test.each([
    ['one server', ''],
    ['sentinels', '+sentinel'],
    ['a cluster', '+cluster'],
  ])('%s', async (_, kind) => {
    const redis = createRedis(
      `redis${kind}://127.0.0.1:${await freePort()}${kind === '+sentinel' ? '/name' : ''}`,
      () => {},
    );
    // It gives up after 1.5 s. A busy machine delays this timer as it delays its own.
    const givesUp = pause(1500).then(() => performance.now());
    await expect(send(() => redis.set('key', 'value'))).rejects.toMatchObject({ code: 'unavailable' });
    expect(performance.now() - (await givesUp)).toBeLessThan(1400);
    redis.disconnect();
  });
});

describe.concurrent('a Redis that does not let us in', () => {
  test.each([
    ['it asks for a password', ''],
    ['it has another one', 'user:wrong@'],
  ])('%s: unavailable, no fault of ours', async (_, credentials) => {
    const port = await freePort();
    const node = await startRedisNode(() => {}, port, ['--requirepass', 'right']);
    const redis = createRedis(`redis://${credentials}127.0.0.1:${port}`, () => {});
    await expect(send(() => redis.set('key', 'value'))).rejects.toMatchObject({ code: 'unavailable' });
    redis.disconnect();
    await node.stop();
  });
});

describe('send() tells whether an earlier attempt may have been carried out', () => {
  const attempts = async (...errors: Error[]) => {
    const told: boolean[] = [];
    await send(async (mayHaveRun) => {
      told.push(mayHaveRun);
      const error = errors[told.length - 1];
      if (error !== undefined) throw error;
    });
    return told;
  };

  test.each([
    'MOVED 1 127.0.0.1:1',
    'ASK 1 127.0.0.1:1',
    'TRYAGAIN Multiple keys request during rehashing of slot',
    'Too many Cluster redirections. Last error: ReplyError: TRYAGAIN Multiple keys request during rehashing of slot',
    'CLUSTERDOWN The cluster is down',
    'LOADING Redis is loading the dataset in memory',
    'MASTERDOWN Link with MASTER is down',
    "READONLY You can't write against a read only replica.",
    'NOSCRIPT No matching script.',
    "Stream isn't writeable and enableOfflineQueue options is false",
    "Cluster isn't ready and enableOfflineQueue options is false",
    'connect ECONNREFUSED 127.0.0.1:1',
  ])('not after %s', async (message) => {
    expect(await attempts(new Error(message))).toEqual([false, false]);
  });

  test.each([
    'Connection is closed.',
    'Too many Cluster redirections. Last error: Error: Connection is closed.',
    'Command aborted due to connection close',
    'read ECONNRESET',
    'write EPIPE',
  ])('after %s, and from then on', async (message) => {
    expect(await attempts(new Error(message), new Error('MOVED 1 127.0.0.1:1'))).toEqual([false, true, true]);
  });

  test.each([
    'ERR Script attempted to access a non local key in a cluster node script: 1, on @user_script:1.',
    'OOM command not allowed',
  ])('%s: unavailable at once', async (message) => {
    const told: boolean[] = [];
    const failing = send(async (mayHaveRun) => {
      told.push(mayHaveRun);
      throw new Error(message);
    });
    await expect(failing).rejects.toMatchObject({ code: 'unavailable' });
    expect(told).toEqual([false]);
  });

  test('after Redis has cut the connection of a command that waited there', async () => {
    const node = await startRedisNode(() => {}, await freePort());
    const redis = createRedis(`redis://127.0.0.1:${node.port}`, () => {});
    const other = new Redis(node.port);
    await Promise.all([until('Redis', () => send(() => redis.ping()).catch(() => null)), other.ping()]);
    const told: boolean[] = [];
    const sent = send<unknown>((mayHaveRun) => {
      told.push(mayHaveRun);
      return mayHaveRun ? redis.ping() : redis.blpop('nothing', 0);
    });
    await until('it waits', async () => String(await other.call('CLIENT', 'LIST')).includes('cmd=blpop'));
    await other.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    expect(await sent).toBe('PONG');
    expect(told.at(0)).toBe(false);
    expect(told.at(-1)).toBe(true);
    redis.disconnect();
    other.disconnect();
    await node.stop();
  });
});

describe('a command that Redis may still be at work on is not sent again', () => {
  test('a slow script cuts no connection, and the commands behind it run once and are answered', async () => {
    const node = await startRedisNode(() => {}, await freePort(), ['--enable-debug-command', 'yes']);
    const redis = createRedis(`redis://127.0.0.1:${node.port}`, () => {});
    const slow = new Redis(node.port);
    await Promise.all([until('Redis', () => send(() => redis.ping()).catch(() => null)), slow.ping()]);
    const connection = await redis.client('ID');
    const sleeping = slow.call('DEBUG', 'SLEEP', '1.2');
    await new Promise((resolve) => setImmediate(resolve));
    // Not by send(), which on a busy machine may give up before the reply is read.
    expect(await redis.incr('runs')).toBe(1);
    await sleeping;
    expect(await redis.client('ID')).toBe(connection);
    expect(await redis.get('runs')).toBe('1');
    redis.disconnect();
    slow.disconnect();
    await node.stop();
  });

  test('nor one whose connection was cut for silence: 503 within 2 s, and it runs once at most', async () => {
    const node = await startRedisNode(() => {}, await freePort());
    const redis = createRedis(`redis://127.0.0.1:${node.port}`, () => {});
    await send(() => redis.ping());
    process.kill(node.pid, 'SIGSTOP');
    let isCut = false;
    redis.once('close', () => {
      isCut = true;
      // It now carries out what it had received.
      process.kill(node.pid, 'SIGCONT');
    });
    const sent: Promise<unknown>[] = [];
    await until('the connection is cut', () => {
      const id = String(sent.length);
      sent.push(send(() => redis.hincrby('runs', id, 1)).catch((error: unknown) => error));
      return isCut;
    });
    const answers = await Promise.all(sent);
    expect(answers.filter((answer) => answer !== 1 && !(answer instanceof HoldfastError))).toEqual([]);
    expect(answers.filter((answer) => answer !== 1).length).toBeGreaterThan(10);
    const runs = Object.values(await redis.hgetall('runs'));
    expect(runs.length).toBeGreaterThan(10);
    expect(runs.filter((count) => count !== '1')).toEqual([]);
    redis.disconnect();
    await node.stop();
  });
});
