/** Holds and waits go on while another Redis takes over. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Pair, startPair } from '../../support/clients.ts';
import { startSentinels, type Topology } from '../../support/topologies.ts';
import { until } from '../../support/until.ts';

let topology: Topology;
let pair: Pair;
beforeAll(async () => {
  topology = await startSentinels();
  pair = await startPair({ redisUrl: topology.url, env: { REDIS_WAIT_REPLICAS: '1' } });
});
afterAll(async () => {
  await pair?.stop();
  await topology?.stop();
});

// Sentinels may need several elections.
test('a primary that dies costs no lease and no turn', { timeout: 120_000 }, async () => {
  const order: string[] = [];
  const first = pair.a.using('printer', { ttl: '60s' }, async (hold, signal) => {
    const before = hold.expiresAt?.getTime() ?? 0;
    await until('somebody waits', async () => (await pair.a.check('printer')).waiting === 1);
    const primary = await topology.primaryOf(0);
    process.kill(primary.pid, 'SIGKILL');
    await hold.renew();
    expect(hold.expiresAt?.getTime()).toBeGreaterThan(before);
    await until('the sentinel knows', async () => (await topology.primaryOf(0)).port !== primary.port);
    expect(signal.aborted).toBe(false);
    order.push('first');
    return hold.fencingToken;
  });
  await until('it is held', async () => !(await pair.b.available('printer')));
  const second = pair.b.using('printer', { wait: '100s' }, ({ fencingToken }) => {
    order.push('second');
    return fencingToken;
  });
  expect(await second).toBeGreaterThan(await first);
  expect(order).toEqual(['first', 'second']);
});
