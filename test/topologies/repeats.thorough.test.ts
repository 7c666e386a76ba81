/**
 * Where replicas are waited for, a repeat gets the response only once they have what the first request wrote
 * (docs/specification.md#repeating-safely).
 */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
import { startRedisNode } from '../../scripts/redisServer.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';

test('a repeat waits for replicas too', async () => {
  const [primaryPort, replicaPort] = [await freePort(), await freePort()];
  const primary = await startRedisNode(() => {}, primaryPort);
  const replica = await startRedisNode(() => {}, replicaPort, ['--replicaof', '127.0.0.1', String(primaryPort)]);
  const options = {
    keys: [makeConfiguredKey(makeTenant())],
    redisUrl: `redis://127.0.0.1:${primaryPort}`,
    env: { REDIS_WAIT_REPLICAS: '1' },
  };
  const [one, two] = await Promise.all([startInstance(options), startInstance(options)]);
  await until('the replica', async () => /^slave0:.*state=online/m.test(await one.redis.info('replication')));
  await until('it confirms', async () => (await two.reserve({ resource: 'warm', requester: 'ann' })).status === 200);
  const headers = { 'Idempotency-Key': randomUUID() };
  const send = (instance: typeof one) =>
    instance.request('POST', '/api/v1/Reservation/reserve', [{ resource: 'r', requester: 'ann' }], headers);

  process.kill(replica.pid, 'SIGSTOP');
  expect((await send(one)).status).toBe(503);
  expect(await one.redis.exists(`{${one.tenant}}:once:${headers['Idempotency-Key']}`)).toBe(1);
  expect((await send(two)).status).toBe(503);
  process.kill(replica.pid, 'SIGCONT');
  const done = await until('it is confirmed', async () => {
    const answer = await send(two);
    return answer.status === 200 ? answer : null;
  });
  expect(done.body).toMatchObject([{ status: 'ACQUIRED' }]);
  expect(done.headers.get('Idempotency-Replayed')).toBe('true');
  await Promise.all([one.stop(), two.stop()]);
  await Promise.all([replica.stop(), primary.stop()]);
}, 60_000);
