/**
 * Log lines of a worker while Redis or the database is away.
 */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../scripts/freePort.ts';
import { startRedisNode } from '../../scripts/redisServer.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';

const Line = z.looseObject({
  level: z.number(),
  msg: z.string().default(''),
  job: z.string().optional(),
  err: z.looseObject({ message: z.string() }).optional(),
});
const INFO = 30;

/** The lines that are logged by default, from one on. */
const linesOf = (logged: readonly string[]) =>
  logged.map((line) => Line.parse(JSON.parse(line))).filter(({ level }) => level >= INFO);

const start = async (port: number) => startRedisNode(() => {}, port);

test('Redis is said to be away and to be back, once each, not once for every connection', async () => {
  const port = await freePort();
  let node = await start(port);
  const redisUrl = `redis://127.0.0.1:${port}`;
  const keys = [makeConfiguredKey(makeTenant())];
  const worker = await startInstance({ keys, redisUrl, env: { ROLE: 'worker' } });
  const run = async () => (await worker.redis.zcard('{bull}:expiry:completed')) > 0;
  await until('its jobs run', run);
  worker.logged.length = 0;

  process.kill(node.pid, 'SIGKILL');
  await node.stop();
  await until('a job has failed', () => linesOf(worker.logged).some(({ job }) => job === 'expiry'));
  node = await start(port);
  await until('its jobs run again', run);

  const lines = linesOf(worker.logged);
  const saying = (text: string) => lines.filter(({ msg }) => msg.includes(text));
  // Once for each reason: a connection may be reset before the next ones are refused.
  const reasons = saying('Redis cannot be reached').map(({ err }) => err?.message);
  expect(reasons).toContain(`connect ECONNREFUSED 127.0.0.1:${port}`);
  expect(reasons).toEqual([...new Set(reasons)]);
  expect(saying('connected again')).toHaveLength(1);
  // A job that was running is lost with the data of this Redis, which is said too.
  expect(saying('the queue of').filter(({ err }) => !err?.message.startsWith('Missing key for job'))).toEqual([]);
  // Words for callers of the API: a worker has nobody who could repeat a call.
  expect(worker.logged.join('')).not.toContain('repeat the call');
  await worker.stop();
  await node.stop();
});

test('a job that needs a database that is away says so, in words for operators', async () => {
  const DATABASE_URL = `postgres://nobody@127.0.0.1:${await freePort()}/nothing`;
  const port = await freePort();
  const node = await start(port);
  const env = { ROLE: 'worker', DATABASE_URL, KEY_SECRET: 'x'.repeat(32) };
  const worker = await startInstance({ keys: [], redisUrl: `redis://127.0.0.1:${port}`, env });
  const found = await until('a job has failed', () => linesOf(worker.logged).find(({ job }) => job === 'copies'));
  expect(found).toMatchObject({ err: { message: 'the database has not been reached since the start' } });
  expect(worker.logged.join('')).not.toContain('repeat the call');
  await worker.stop();
  await node.stop();
});
