/**
 * When an instance ends a long poll although nothing was granted (docs/specification.md#waiting-lifetimes).
 */
import { describe, expect, test } from 'vitest';
import { startRedis } from '../../scripts/redisServer.ts';
import { loadTenant } from '../../src/engine/tenant/record.ts';
import { configuredTenants } from '../../src/identity/configured.ts';
import { startEngine } from '../support/engine.ts';
import { type Poll, poll, queue, requesters, wanted } from '../support/polls.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';

const take = async ({ reserve }: Pick<Awaited<ReturnType<typeof startInstance>>, 'reserve'>, resource: string) => {
  const { body } = await reserve({ resource, requester: 'owner' });
  return { resource, requester: 'owner', releaseToken: body[0]?.releaseToken ?? undefined };
};

describe.concurrent('a credential that ends', () => {
  test('ends its long polls with 401 within 5 s, and the tickets stay for another one', async () => {
    const tenant = makeTenant();
    const [gone, kept] = [makeConfiguredKey(tenant), makeConfiguredKey(tenant)];
    const holdfast = await startInstance({ keys: [kept, gone] });
    const owner = await take(holdfast, 'r');
    const call = poll({ ...holdfast, key: gone.key }, [wanted('r', 'waiter')]);
    const other = poll(holdfast, [wanted('r', 'other')]);
    await queue(holdfast, 'both wait', ({ length }) => length === 2);
    const { engine, stop } = await startEngine(tenant);
    const record = configuredTenants([kept]).get(tenant);
    if (record) await loadTenant(engine.redis, record);
    const rotatedAt = performance.now();
    expect((await call.response).status).toBe(401);
    // Not only when pollSeconds have passed.
    expect(performance.now() - rotatedAt).toBeLessThan(15_000);
    expect(other.isAnswered).toBe(false);
    const again = poll(holdfast, [wanted('r', 'waiter')]);
    await holdfast.unreserve(owner);
    expect(await again.first).toMatchObject({ status: 'ACQUIRED' });
    stop();
    await holdfast.stop();
  });
});

describe.concurrent('an instance that leaves', () => {
  test('answers WAITING, and its callers have their turn elsewhere', async () => {
    const keys = [makeConfiguredKey(makeTenant())];
    const [leaving, staying] = await Promise.all([startInstance({ keys }), startInstance({ keys })]);
    const owner = await take(staying, 'r');
    const call = poll(leaving, [wanted('r', 'waiter')]);
    await queue(staying, 'it waits', ({ length }) => length === 1);
    const later = poll(staying, [wanted('r', 'later')]);
    await queue(staying, 'both wait', ({ length }) => length === 2);
    leaving.leave();
    expect(await call.first).toMatchObject({ status: 'WAITING' });
    // One that comes now is not held.
    expect(await poll(leaving, [wanted('r', 'waiter')]).first).toMatchObject({ status: 'WAITING' });
    await leaving.stop();
    const again = poll(staying, [wanted('r', 'waiter')]);
    await staying.unreserve(owner);
    expect(await again.first).toMatchObject({ status: 'ACQUIRED' });
    expect(later.isAnswered).toBe(false);
    await staying.stop();
  });
});

describe.concurrent('long polls', () => {
  test('are not in flight: any number of them keeps nobody out', async () => {
    const holdfast = await startInstance({ env: { MAX_IN_FLIGHT: '8' } });
    const owner = await take(holdfast, 'r');
    const held: Poll[] = [];
    for (let from = 0; from < 100; from += 5) {
      held.push(...Array.from({ length: 5 }, (_, i) => poll(holdfast, [wanted('r', `w${from + i}`)])));
      await queue(holdfast, 'they wait', ({ length }) => length === from + 5);
    }
    expect((await holdfast.available('r')).status).toBe(200);
    await holdfast.unreserve(owner);
    await until('one is granted', () => held.some(({ isAnswered }) => isAnswered));
    await holdfast.stop();
  });
});

describe.concurrent('while Redis is away', () => {
  test('long polls wait on until their time is over, and are granted when it is back', async () => {
    const server = await startRedis(() => {});
    const keys = [makeConfiguredKey(makeTenant())];
    const holdfast = await startInstance({ keys, redisUrl: server.url });
    const owner = await take(holdfast, 'r');
    const call = poll(holdfast, [wanted('r', 'waiter')]);
    const short = poll(holdfast, [wanted('r', 'short')], 4);
    await queue(holdfast, 'they wait', ({ length }) => length === 2);
    process.kill(server.pid, 'SIGSTOP');
    expect((await holdfast.check({ resource: 'r' })).status).toBe(503);
    const result = await short.first;
    expect(result).toMatchObject({ status: 'WAITING', waiting: { ahead: 1, waitsFor: 'r' } });
    // Nobody knows who is in the way.
    expect(result?.waiting).not.toHaveProperty('reason');
    process.kill(server.pid, 'SIGCONT');
    await until('it is back', async () => (await holdfast.check({ resource: 'r' })).status === 200);
    expect(call.isAnswered).toBe(false);
    await holdfast.unreserve(owner);
    expect(await call.first).toMatchObject({ status: 'ACQUIRED' });
    await holdfast.stop();
    await server.stop();
  });

  test('and comes back without its data, the tickets of long polls are issued again in their order', async () => {
    const server = await startRedis(() => {});
    const holdfast = await startInstance({ redisUrl: server.url });
    await take(holdfast, 'r');
    const held: Poll[] = [];
    for (const [requester, priority] of [
      ['low', -1],
      ['b', 0],
      ['a', 0],
      ['high', 7],
    ] as const) {
      held.push(poll(holdfast, [wanted('r', requester, { priority })]));
      await queue(holdfast, `${requester} waits`, (all) => requesters(all).includes(requester));
    }
    await holdfast.redis.flushall();
    const first = await Promise.race(held.map((call) => call.first));
    expect(first).toMatchObject({ requester: 'high', status: 'ACQUIRED' });
    await queue(holdfast, 'the others wait', (all) => requesters(all).join() === 'b,a,low');
    await holdfast.stop();
    await server.stop();
  });

  test('the loss of the connection for wake-ups is repaired', async () => {
    const server = await startRedis(() => {});
    const holdfast = await startInstance({ redisUrl: server.url });
    const owner = await take(holdfast, 'r');
    const call = poll(holdfast, [wanted('r', 'waiter')]);
    await queue(holdfast, 'it waits', ({ length }) => length === 1);
    await holdfast.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await holdfast.unreserve(owner);
    expect(await call.first).toMatchObject({ status: 'ACQUIRED' });
    await holdfast.stop();
    await server.stop();
  });
});
