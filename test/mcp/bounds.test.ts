/**
 * Messages to /mcp are bounded as requests of HTTP are (docs/specification.md#fairness,
 * docs/specification.md#overload). A Redis that is paused keeps requests in flight.
 */
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedisServer, startRedis } from '../../scripts/redisServer.ts';
import { post, type RpcAnswer, rpc } from '../support/mcp.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';

const loud = makeConfiguredKey(makeTenant());
const quiet = makeConfiguredKey(makeTenant());
let redis: RedisServer;
let service: Instance;
let small: Instance;
beforeAll(async () => {
  redis = await startRedis(() => {});
  const start = (maxInFlight: number) =>
    startInstance({ keys: [loud, quiet], redisUrl: redis.url, env: { MAX_IN_FLIGHT: String(maxInFlight) } });
  [service, small] = await Promise.all([start(4096), start(4)]);
});
afterAll(async () => {
  await Promise.all([service.stop(), small.stop()]);
  await redis.stop();
});

const message = (at: Instance, key: string) =>
  post({ url: at.url, key }, rpc('tools/call', { name: 'check', arguments: { resources: ['a'] } }));

/**
 * Pauses Redis for a second. Sends requests of the loud tenant by HTTP meanwhile, then some messages of it, and one of
 * the quiet tenant.
 * @returns the first message of the loud tenant that is answered meanwhile, and the one of the quiet tenant
 */
async function behind(at: Instance, connections: number, requestsOfEach: number) {
  for (const { key } of [loud, quiet]) await message(at, key);
  const request = `GET /api/v1/Resource/available/a HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${loud.key}\r\n\r\n`;
  process.kill(redis.pid, 'SIGSTOP');
  const sockets = Array.from({ length: connections }, () => connect(Number(new URL(at.url).port), '127.0.0.1'));
  for (const socket of sockets) socket.on('error', () => {}).write(request.repeat(requestsOfEach));
  const early: RpcAnswer[] = [];
  const messages: Promise<unknown>[] = [];
  for (let i = 0; i < 20 && early.length === 0; i++) {
    messages.push(message(at, loud.key).then((answer) => early.push(answer)));
    await setTimeout(50);
  }
  const [refused] = early;
  const ofQuiet = message(at, quiet.key);
  process.kill(redis.pid, 'SIGCONT');
  await Promise.all(messages);
  for (const socket of sockets) socket.destroy();
  return { refused, ofQuiet: await ofQuiet };
}

describe('a message of a tenant of which 1,024 requests wait', () => {
  it('is refused at once with 503, by an error of JSON-RPC; one of another tenant is not', async () => {
    const { refused, ofQuiet } = await until('a refusal', async () => {
      const answers = await behind(service, 20, 60);
      return answers.refused?.text.includes('Too many requests of this tenant wait') ? answers : null;
    });
    expect(refused).toMatchObject({ status: 503, body: { error: { data: { code: 'OVERLOADED' } } } });
    expect(ofQuiet.text).not.toContain('this tenant');
  });
});

describe('a message to an instance with MAX_IN_FLIGHT requests', () => {
  it('is refused at once with 503', async () => {
    const { refused } = await until('a refusal', async () => {
      const answers = await behind(small, 1, 4);
      return answers.refused?.status === 503 ? answers : null;
    });
    expect(refused).toMatchObject({ body: { code: 'OVERLOADED' } });
    expect(refused?.headers.get('Retry-After')).toBe('1');
  });
});
