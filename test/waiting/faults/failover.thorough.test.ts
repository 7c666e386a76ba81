/**
 * Callers wait while a primary is replaced, and while a cluster moves the slot of their tenant: with
 * REDIS_WAIT_REPLICAS nothing is granted twice, and nobody waits for what is free. Tickets that are lost with a primary
 * are issued again (docs/specification.md#waiting-lifetimes).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tenantKey } from '../../../src/redis/keys.ts';
import { slotOf } from '../../../src/redis/topology.ts';
import { type Poll, poll, queue, requesters, wanted } from '../../support/polls.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../../support/service.ts';
import { moveSlot, startCluster, startSentinels, type Topology } from '../../support/topologies.ts';
import { until } from '../../support/until.ts';
import { GRANTED_WITHIN_MS, underLoad, WaitingLoad } from '../../support/waitingLoad.ts';

const WAIT_REPLICAS = { REDIS_WAIT_REPLICAS: '1' };

/** Starts two instances of a new tenant. */
async function startTwo(redisUrl: string, env: Record<string, string> = {}): Promise<[Instance, Instance]> {
  const options = { redisUrl, env, keys: [makeConfiguredKey(makeTenant())] };
  const two = await Promise.all([startInstance(options), startInstance(options)]);
  const isThere = async () => (await two[0].register({ name: 'pool', capacity: 2 })).status === 200;
  await until('it is served', isThere);
  return two;
}

const loadOf = (two: readonly Instance[]) =>
  new WaitingLoad({ key: two[0]?.key ?? '', urls: two.map(({ url }) => url) });

/** Kills a primary, and waits until it is replaced. */
async function kill(topology: Topology, slot: number): Promise<void> {
  const { pid } = await topology.primaryOf(slot);
  process.kill(pid, 'SIGKILL');
  const isReplaced = () =>
    topology.primaryOf(slot).then(
      (primary) => primary.pid !== pid,
      () => false,
    );
  // Sentinels may need several elections.
  await until('another primary', isReplaced, 60_000);
}

/** Has callers wait of whom only the first is known to the replicas when the primary is killed. */
async function loseTickets(topology: Topology): Promise<void> {
  const two = await startTwo(topology.url);
  const [one, other] = two;
  const slot = slotOf(tenantKey(one.tenant));
  const { body } = await one.reserve({ resource: 'r', requester: 'owner' });
  const held: Poll[] = [];
  const wait = async (instance: Instance, requester: string) => {
    held.push(poll(instance, [wanted('r', requester)], 30));
    await queue(one, `${requester} waits`, (all) => requesters(all).includes(requester));
  };
  await wait(one, 'known');
  const primary = await topology.primaryOf(slot);
  await topology.on(primary, async (client) => {
    await client.wait(1, 5000);
    // From here on nothing that is written reaches a replica.
    await client.call('ACL', 'SETUSER', 'default', '-psync', '-sync', '-replconf');
    await client.call('CLIENT', 'KILL', 'TYPE', 'replica');
  });
  await wait(one, 'lost');
  await wait(other, 'lost too');
  await kill(topology, slot);
  const isWhole = async () => {
    const { status, body: all } = await other.waiting();
    return status === 200 && requesters(all).toSorted().join() === 'known,lost,lost too';
  };
  await until('all wait again', isWhole, GRANTED_WITHIN_MS);
  let token = body[0]?.releaseToken ?? '';
  let requester = 'owner';
  for (let left = held; left.length > 0; left = left.filter(({ isAnswered }) => !isAnswered)) {
    await one.unreserve({ resource: 'r', requester, releaseToken: token });
    const next = await Promise.race(left.map(({ first }) => first));
    expect(next).toMatchObject({ status: 'ACQUIRED', ...(left === held && { requester: 'known' }) });
    [token, requester] = [next?.releaseToken ?? '', next?.requester ?? ''];
  }
  await Promise.all(two.map(({ stop }) => stop()));
}

describe('with sentinels', () => {
  let topology: Topology;
  beforeAll(async () => {
    topology = await startSentinels();
  });
  afterAll(() => topology?.stop());

  test('a primary dies', async () => {
    const two = await startTwo(topology.url, WAIT_REPLICAS);
    await underLoad(loadOf(two), () => kill(topology, 0));
    await Promise.all(two.map(({ stop }) => stop()));
  });

  test('tickets that are lost with a primary are issued again', () => loseTickets(topology));
});

describe('in a cluster', () => {
  let topology: Topology;
  beforeAll(async () => {
    topology = await startCluster();
  });
  afterAll(() => topology?.stop());

  test('a slot moves, and a primary is replaced', async () => {
    const two = await startTwo(topology.url, WAIT_REPLICAS);
    const slot = slotOf(tenantKey(two[0].tenant));
    await underLoad(loadOf(two), async () => {
      await moveSlot(topology, slot, 60);
      await moveSlot(topology, slot, 0);
      await topology.replace?.(slot);
    });
    await Promise.all(two.map(({ stop }) => stop()));
  });

  test('tickets that are lost with a primary are issued again', () => loseTickets(topology));
});
