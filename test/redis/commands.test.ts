/**
 * ScriptCommand (src/redis/functions.ts) relies on ioredis: a command has no promise unless initPromise() makes
 * one, and every way in which a client ends a command is its resolve() or reject(). An update of ioredis may change
 * that.
 */
import { createHook } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Command } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
import { type RedisNode, startRedisNode } from '../../scripts/redisServer.ts';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import { createRedis, type RedisClient } from '../../src/redis/client.ts';
import { ScriptCommand } from '../../src/redis/functions.ts';
import { defineScripts, loadScripts, runScript, sendScript } from '../../src/redis/scripts.ts';
import { send } from '../../src/redis/send.ts';
import { until } from '../support/until.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

let node: RedisNode;
let redis: RedisClient;
beforeAll(async () => {
  node = await startRedisNode(() => {}, await freePort());
  redis = createRedis(`redis://127.0.0.1:${node.port}`, () => {});
  await until('Redis', () => send(() => redis.ping()).catch(() => null));
});
afterAll(async () => {
  redis.disconnect();
  await node.stop();
});

const outcomeOf = (client: RedisClient, name: string, args: (string | number)[], isBytes = false): Promise<unknown> =>
  new Promise((answered, failed) => {
    void client.sendCommand(new ScriptCommand(name, args, isBytes, { answered, failed }));
  });

test('ioredis makes the promise of a command in initPromise(), which sets resolve() and reject()', () => {
  expect(typeof Reflect.get(Command.prototype, 'initPromise')).toBe('function');
  const plain = new Command('ping');
  expect(Object.keys(plain)).toEqual(expect.arrayContaining(['promise', 'resolve', 'reject']));
  const own = new ScriptCommand('ping', [], false, { answered: () => {}, failed: () => {} });
  expect(Object.keys(own).filter((key) => ['promise', 'resolve', 'reject'].includes(key))).toEqual([]);
});

describe('a command', () => {
  test('gets its reply as text or in bytes, at any depth', async () => {
    const lua = "return { 'a', 1, { ARGV[1] } }";
    expect(await outcomeOf(redis, 'eval', [lua, 0, 'ü'])).toEqual(['a', 1, ['ü']]);
    expect(await outcomeOf(redis, 'eval', [lua, 0, 2], true)).toEqual([Buffer.from('a'), 1, [Buffer.from('2')]]);
  });

  test('gets the error of Redis', async () => {
    await expect(outcomeOf(redis, 'eval', ['nonsense', 0])).rejects.toThrow(/^ERR Error compiling script/);
  });

  test('makes no promise on its way', async () => {
    const promises: string[] = [];
    const hook = createHook({
      init: (_, type) => {
        const stack = new Error().stack ?? '';
        if (type === 'PROMISE' && stack.includes('/ioredis/')) promises.push(stack);
      },
    }).enable();
    await outcomeOf(redis, 'eval', ['return 1', 0]);
    expect(promises).toEqual([]);
    await redis.ping();
    hook.disable();
    expect(promises).not.toEqual([]);
  });

  test('fails if the connection is not open', async () => {
    const away = createRedis(`redis://127.0.0.1:${await freePort()}`, () => {});
    await expect(outcomeOf(away, 'eval', ['return 1', 0])).rejects.toThrow("Stream isn't writeable");
    away.disconnect();
    await expect(outcomeOf(away, 'eval', ['return 1', 0])).rejects.toThrow(/closed|writeable/);
  });

  test('fails if the connection is lost before its reply', async () => {
    const own = createRedis(`redis://127.0.0.1:${node.port}`, () => {});
    await until('Redis', () => send(() => own.ping()).catch(() => null));
    // Awaited at once: the connection may be lost before the reply to CLIENT KILL.
    const lost = expect(outcomeOf(own, 'blpop', ['nothing', 0])).rejects.toThrow(/retries|closed|aborted/);
    await until('it waits', async () => String(await redis.call('CLIENT', 'LIST')).includes('cmd=blpop'));
    await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await lost;
    own.disconnect();
  });
});

test('a call that was given up keeps nothing alive, although ioredis still waits for its reply', async () => {
  const own = await startRedisNode(() => {}, await freePort());
  const client = createRedis(`redis://127.0.0.1:${own.port}`, () => {});
  defineScripts(client, loadScripts(DEFAULT_TIERS));
  await runScript(client, 'probe', '{1}probe');
  process.kill(own.pid, 'SIGSTOP');
  const calls: WeakRef<object>[] = [];
  await Promise.all(
    [1, 2].map(
      () =>
        new Promise<void>((done) => {
          const call = { keys: ['{1}probe'], args: () => [], answered: () => done(), failed: () => done() };
          calls.push(new WeakRef(call));
          sendScript(client, 'probe', call);
        }),
    ),
  );
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  const kept = calls.filter((call) => call.deref() !== undefined);
  process.kill(own.pid, 'SIGCONT');
  client.disconnect();
  await own.stop();
  expect(kept).toEqual([]);
});
