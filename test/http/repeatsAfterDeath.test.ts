/**
 * An instance is killed after Redis has carried out a request and before the response is sent: a repeat at another one
 * gets the response (docs/specification.md#repeating-safely).
 */
import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, inject, test } from 'vitest';
import type { TransactionResult } from '../../src/contract/reservations.ts';
import { createClient } from '../support/client.ts';
import { startProcess } from '../support/process.ts';
import { redisAddress } from '../support/redisAddress.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';
import { watch } from '../support/watch.ts';

/** A way to Redis on which replies can be held back. */
async function startProxy() {
  const address = redisAddress(inject('redisUrl'));
  const toRedis = () => {
    if (address.startsWith('/')) return connect(address);
    const { hostname, port } = new URL(address);
    return connect(Number(port), hostname);
  };
  const replies: Socket[] = [];
  const server = createServer((socket) => {
    const redis = toRedis();
    socket.pipe(redis).pipe(socket);
    for (const one of [socket, redis]) one.on('error', () => one.destroy());
    replies.push(redis);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `redis://127.0.0.1:${port}`,
    holdReplies: () => {
      for (const redis of replies) redis.unpipe().pause();
    },
    stop: () => {
      for (const redis of replies) redis.destroy();
      server.close();
    },
  };
}

test('a hand-over whose instance dies is done once, told once, and its repeat gets the response', async () => {
  const keys = [makeConfiguredKey(makeTenant())];
  const proxy = await startProxy();
  const staying = await startInstance({ keys });
  const dying = await startProcess({ REDIS_URL: proxy.url, ROLE: 'api', API_KEYS: JSON.stringify(keys) });
  const client = createClient(dying.url, staying.key);
  const [mine] = (await client.reserve({ resource: 'a', requester: 'ann' })).body;
  const stream = await watch(staying);
  const key = randomUUID();
  const body = {
    method: 'ALL_OR_NONE',
    requests: [
      { requestType: 'UNRESERVE', resource: 'a', requester: 'ann', releaseToken: mine?.releaseToken },
      { requestType: 'RESERVE', resource: 'b', requester: 'ann' },
    ],
  };
  const headers = { 'Idempotency-Key': key };
  proxy.holdReplies();
  const sent = client.request('POST', '/api/v1/Reservation/transaction', body, headers);
  const lost = sent.then(
    ({ status }) => status,
    () => 'lost',
  );
  await until('Redis has carried it out', () => staying.redis.exists(`{${staying.tenant}}:idempotency:${key}`));
  dying.kill('SIGKILL');
  // On a busy machine it may have given up on Redis before: the outcome is unknown likewise.
  expect(['lost', 503]).toContain(await lost);

  // Somebody else takes what was released.
  await staying.reserve({ resource: 'a', requester: 'bob' });
  const again = await staying.request<TransactionResult>('POST', '/api/v1/Reservation/transaction', body, headers);
  expect(again.headers.get('Idempotency-Replayed')).toBe('true');
  expect(again.body).toMatchObject({
    status: 'APPLIED',
    results: [{ status: 'RELINQUISHED', released: ['a'] }, { status: 'ACQUIRED' }],
  });
  const { releaseToken } = again.body.results[1] as { releaseToken: string };
  const released = await staying.unreserve({ resource: 'b', requester: 'ann', releaseToken });
  expect(released.body).toMatchObject([{ status: 'RELINQUISHED' }]);
  expect((await stream.count(3)).map(({ type }) => type)).toEqual(['TRANSACTION_APPLIED', 'RESERVED', 'UNRESERVED']);
  stream.close();
  proxy.stop();
  await staying.stop();
});
