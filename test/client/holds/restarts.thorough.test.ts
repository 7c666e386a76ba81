/**
 * Holds and waits go on while the instances behind a load balancer (deploy/haproxy.cfg) are restarted one after the
 * other: no hold is lost, none overlaps another, and no call fails.
 */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { Holdfast } from '../../../packages/client/src/index.ts';
import { freePort } from '../../../scripts/freePort.ts';
import { type Balancer, startBalancer } from '../../support/haproxy.ts';
import { type InstanceProcess, startProcess } from '../../support/process.ts';
import { makeConfiguredKey, makeTenant } from '../../support/service.ts';
import { until } from '../../support/until.ts';

describe('instances are restarted one after the other', () => {
  const LOOPS = 20;
  const RESOURCES = 5;
  const key = makeConfiguredKey(makeTenant());

  let ports: number[];
  let instances: InstanceProcess[];
  let balancer: Balancer;

  const start = (port: number) =>
    startProcess({
      PORT: String(port),
      REDIS_URL: inject('redisUrl'),
      API_KEYS: JSON.stringify([key]),
      ROLE: 'api',
      TIERS: '{"Enterprise": {"writesPerMinute": null, "readsPerMinute": null}}',
      // The balancer asks every 200 ms, and twice.
      DRAIN_DELAY_SECONDS: '1',
    });

  beforeAll(async () => {
    ports = [await freePort(), await freePort()];
    instances = await Promise.all(ports.map(start));
    balancer = await startBalancer(ports);
    await until('the balancer has found them', async () => (await fetch(`${balancer.url}/healthz`)).status === 200);
  });
  afterAll(async () => {
    for (const instance of instances) instance.kill('SIGKILL');
    await balancer.stop();
  });

  async function leave(instance: InstanceProcess | undefined): Promise<void> {
    instance?.kill('SIGTERM');
    expect(await instance?.exit, instance?.output()).toBe(0);
  }

  test('a rolling restart loses no hold of 20 concurrent loops, and no turn', async () => {
    const client = new Holdfast({ url: balancer.url, key: key.key });
    const faults: unknown[] = [];
    const inside = new Set<string>();
    /** The last fencing token of each resource. */
    const fences = new Map<string, number>();
    let turns = 0;
    let isOver = false;

    const takeTurn = (resource: string) =>
      client.using(resource, { ttl: '6s', wait: '30s' }, async ({ fencingToken }, signal) => {
        if (inside.has(resource)) faults.push(`${resource} is held twice`);
        if (fencingToken <= (fences.get(resource) ?? 0)) faults.push(`the fencing token of ${resource} does not rise`);
        inside.add(resource);
        fences.set(resource, fencingToken);
        // A call is made meanwhile, and so others come to wait.
        await client.check(resource);
        if (signal.aborted) faults.push(`${resource} was lost`);
        inside.delete(resource);
        turns++;
      });
    const loop = async (resource: string) => {
      while (!isOver) await takeTurn(resource).catch((error: unknown) => faults.push(error));
    };

    const longest = client.using('longest', { ttl: '6s' }, async (_, signal) => {
      await until('the restart is over', () => isOver || signal.aborted, 60_000);
      return signal.aborted;
    });
    const loops = Array.from({ length: LOOPS }, (_, i) => loop(`r${i % RESOURCES}`));
    await until('all are under way', () => turns > LOOPS);
    await leave(instances[0]);
    instances.push(await start(ports[0] ?? 0));
    await until('turns go on', () => turns > 2 * LOOPS);
    // Only the instance that was started is left.
    const before = turns;
    await leave(instances[1]);
    await until('turns go on', () => turns > before + LOOPS);
    isOver = true;
    await Promise.all(loops);

    expect(faults.slice(0, 3)).toEqual([]);
    expect(await longest).toBe(false);
    expect(await client.active()).toEqual([]);
  });
});
