/**
 * A client of sentinels that hear of a new primary while it is connecting, or some of which are away. The sentinel here
 * is a stand-in, which answers when the test says so.
 */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
import { type RedisNode, startRedisNode } from '../../scripts/redisServer.ts';
import { createPatientRedis, createRedis } from '../../src/redis/client.ts';
import { send } from '../../src/redis/send.ts';
import { until } from '../support/until.ts';

const bulk = (...texts: string[]) =>
  `*${texts.length}\r\n${texts.map((text) => `$${text.length}\r\n${text}\r\n`).join('')}`;

class Sentinel {
  readonly server: Server;
  readonly subscribers = new Set<Socket>();
  /** Answers that wait; null: it answers at once. */
  held: (() => void)[] | null = null;

  constructor(primaryPort: number) {
    this.server = createServer((socket) => {
      socket.on('error', () => {}).on('close', () => this.subscribers.delete(socket));
      socket.on('data', (data) => {
        for (const [, command = ''] of data.toString().matchAll(/\*\d+\r\n((?:\$\d+\r\n[^\r]*\r\n)+)/g)) {
          const [name = '', what = ''] = [...command.matchAll(/\$\d+\r\n([^\r]*)\r\n/g)].map(([, text = '']) => text);
          this.#answer(socket, name.toLowerCase(), what, primaryPort);
        }
      });
    });
  }

  #answer(socket: Socket, name: string, what: string, primaryPort: number): void {
    if (name === 'hello') socket.write("-ERR unknown command 'HELLO'\r\n");
    else if (name === 'subscribe') {
      this.subscribers.add(socket);
      socket.write('*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n');
    } else if (name === 'sentinel' && what === 'sentinels') socket.write('*0\r\n');
    else if (name === 'sentinel') {
      const answer = () => socket.write(bulk('127.0.0.1', String(primaryPort)));
      if (this.held === null) answer();
      else this.held.push(answer);
    } else socket.write('+OK\r\n');
  }

  /** Tells all listeners that there is a new primary. */
  tell(): void {
    for (const socket of this.subscribers) socket.write(bulk('message', '+switch-master', 'name'));
  }
}

let node: RedisNode;
let sentinel: Sentinel;
let url: string;
beforeEach(async () => {
  node = await startRedisNode(() => {}, await freePort());
  sentinel = new Sentinel(node.port);
  const port = await freePort();
  await new Promise<void>((resolve) => sentinel.server.listen(port, '127.0.0.1', resolve));
  url = `redis+sentinel://127.0.0.1:${port}/name`;
});
afterEach(async () => {
  sentinel.server.close();
  await node.stop();
});

test.each([
  ['that scripts run on', () => createRedis(url, () => {})],
  ['for BullMQ', () => createPatientRedis(url)],
])('the client %s connects again after sentinels told of a new primary while it was connecting', async (_, create) => {
  const redis = create();
  const other = new Redis(node.port);
  await until('it is connected', () => send(() => redis.ping()));
  await until('it listens for failovers', () => sentinel.subscribers.size > 0);
  const held: (() => void)[] = [];
  sentinel.held = held;
  await other.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await until('it asks for the primary', () => held.length > 0);
  sentinel.tell();
  await until('it has heard of the new one', () => sentinel.subscribers.size === 0);
  sentinel.held = null;
  for (const answer of held) answer();
  await until('it is connected again', () => redis.status === 'ready');
  expect(await redis.ping()).toBe('PONG');
  const ended = new Promise((resolve) => redis.once('end', resolve));
  redis.disconnect();
  await ended;
  other.disconnect();
});

test('a sentinel that is away makes the client print nothing: logs are for operators, and have no stacks', async () => {
  const print = vi.spyOn(console, 'error').mockReturnValue();
  const away = '127.0.0.1:1';
  const redis = createRedis(url.replace('redis+sentinel://', `redis+sentinel://${away},`), () => {});
  await Promise.all([once(redis, 'sentinelReconnecting'), once(redis, 'ready')]);
  expect(await redis.ping()).toBe('PONG');
  redis.disconnect();
  // Clients of tests before may print errors of theirs.
  expect(print.mock.calls.filter((texts) => new RegExp(`${away}\\b`).test(texts.join(' ')))).toEqual([]);
  print.mockRestore();
});
