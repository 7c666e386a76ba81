/**
 * Leases that end soon are announced: when, which, and once for each end (docs/specification.md#leases-that-end-soon).
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sweep } from '../../../src/engine/expiry/sweep.ts';
import { closeStreams } from '../../../src/engine/tenant/streamLeases.ts';
import { keysOf } from '../../../src/redis/keys.ts';
import { parseReply, toText } from '../../../src/redis/reply.ts';
import { runScript } from '../../../src/redis/scripts.ts';
import { Listened } from '../../support/announcements.ts';
import { looking, server, useExpiry } from '../../support/expiry.ts';
import { until } from '../../support/until.ts';
import { renew, reserve, unreserve } from '../../support/verbs.ts';

useExpiry();

const START = 1_000_000_000_000;
let tenant: Listened;
beforeEach(async () => {
  tenant = await Listened.start(server.url, looking, START);
});
afterEach(() => tenant.stop());

const take = async (resource: string, ttlSeconds: number, more = {}) => {
  const { engine, credential } = tenant.running;
  const [result] = await reserve(engine, credential, [{ resource, requester: 'r', ttlSeconds, ...more }]);
  return { resource, requester: 'r', releaseToken: result?.releaseToken ?? '' };
};
const extend = (held: Awaited<ReturnType<typeof take>>, ttlSeconds: number) =>
  renew(tenant.running.engine, tenant.running.credential, [{ ...held, ttlSeconds }]);

describe('ENDS_SOON', () => {
  test('is sent when a lease ends in endsSoonSeconds, with the fields of the reservation', async () => {
    await tenant.listen();
    await take('lab', 700, { note: 'release 1.4', resourceType: 'Room' });
    await tenant.told();
    expect(await tenant.sweptAt(300)).toEqual([]);
    expect(await tenant.dueAt()).toBe(400);
    expect(await tenant.sweptAt(399)).toEqual([]);
    await tenant.at(400);
    await sweep(tenant.running.engine.redis);
    expect(await tenant.told()).toEqual([
      {
        type: 'ENDS_SOON',
        expiresAt: START + 700_000,
        requestType: 'EXPIRE',
        explanation: null,
        resourceType: 'Room',
        apiKeyLabel: null,
        acquiredSlots: null,
        fencingToken: START * 1000,
        note: 'release 1.4',
        resource: 'lab',
        requester: 'r',
      },
    ]);
  });

  test('is sent once for each end, however often the sweep looks', async () => {
    await tenant.listen();
    const held = await take('lab', 700);
    expect(await tenant.sweptAt(400)).toEqual(['lab']);
    for (const at of [401, 500, 600]) {
      await tenant.at(at);
      await Promise.all([sweep(tenant.running.engine.redis), sweep(tenant.running.engine.redis)]);
    }
    expect(await tenant.sweptAt(650)).toEqual([]);
    await extend(held, 1000);
    expect(await tenant.sweptAt(950)).toEqual([]);
    expect(await tenant.sweptAt(1349)).toEqual([]);
    expect(await tenant.sweptAt(1350)).toEqual(['lab']);
  });

  test('is sent for leases that were at least twice as long when they began', async () => {
    await tenant.listen();
    await take('short', 599);
    await take('long', 600);
    const often = await take('often', 900);
    const once = await take('once', 500);
    await tenant.at(200);
    await extend(often, 599);
    await extend(once, 600);
    await tenant.sweptAt(200);
    expect(await tenant.sweptAt(300)).toEqual(['long']);
    expect(await tenant.sweptAt(500)).toEqual(['once']);
    expect(await tenant.sweptAt(800)).toEqual([]);
  });

  test('is sent for each of many leases that end in the same millisecond, though some are released meanwhile', async () => {
    const { engine, credential } = tenant.running;
    await tenant.listen();
    const items = Array.from({ length: 900 }, (_, i) => ({ resource: `m${i}`, requester: 'r', ttlSeconds: 700 }));
    const held = await reserve(engine, credential, items);
    await tenant.told();
    await tenant.sweptAt(300);
    await tenant.at(400);
    const names: string[] = [];
    const released = new Set<string>();
    for (let code = 'AGAIN'; code === 'AGAIN'; ) {
      code = toText(parseReply(await runScript(engine.redis, 'sweep', ...keysOf('sweep', tenant.tenant), ''))[0]);
      const told = (await tenant.told()).filter(({ type }) => type === 'ENDS_SOON').map(({ resource }) => resource);
      names.push(...told.map(String));
      // The last one tells the place from which the next script goes on. Others come before and behind it.
      const gone = [
        told.at(-1),
        ...held.map(({ resource }) => resource).filter((_, i) => i % 100 === names.length % 100),
      ];
      const some = held.filter(({ resource }) => gone.includes(resource) && !released.has(resource));
      for (const { resource } of some) released.add(resource);
      await unreserve(engine, credential, some);
    }
    const isNeeded = ({ resource }: { resource: string }) => !released.has(resource);
    expect(new Set(names).size).toBe(names.length);
    const missing = held.filter(isNeeded).filter(({ resource }) => !names.includes(resource));
    expect(missing).toEqual([]);
    expect(await tenant.sweptAt(500)).toEqual([]);
  });

  test('is late after an outage of the sweep, and not sent for leases that have ended', async () => {
    await tenant.listen();
    await take('over', 700);
    await take('late', 1000);
    await take('soon', 1250);
    expect(await tenant.sweptAt(900)).toEqual(['late']);
    expect(await tenant.sweptAt(950)).toEqual(['soon']);
  });
});

describe('leases that end soon, if nobody listens', () => {
  test('cost nothing: no script reads or writes anything for them', async () => {
    const { engine, credential } = tenant.running;
    const commands: string[] = [];
    const monitor = await looking.monitor();
    monitor.on('monitor', (_: string, command: string[]) => commands.push(command.join(' ')));
    const held = await take('lab', 700);
    expect(await tenant.dueAt()).toBe(700);
    await extend(held, 900);
    await tenant.at(400);
    await sweep(engine.redis);
    expect(await tenant.dueAt()).toBe(700);
    await unreserve(engine, credential, [held]);
    await looking.set('mark', '1');
    await until('all commands', () => commands.includes('set mark 1'));
    monitor.disconnect();
    const own = commands.filter((one) => one.includes(tenant.tenant));
    expect(own.filter((one) => /hset .* swept /i.test(one))).toHaveLength(1);
    expect(own.filter((one) => /endsSoon|announced/i.test(one))).toEqual([]);
  });

  test('are announced to who comes later, from then on', async () => {
    await take('passed', 650);
    await take('ahead', 1000);
    await tenant.sweptAt(400);
    await tenant.listen();
    expect(await tenant.dueAt()).toBe(650);
    expect(await tenant.sweptAt(650)).toEqual([]);
    expect(await tenant.sweptAt(700)).toEqual(['ahead']);
  });

  test('are not announced to who comes back, if their time has passed', async () => {
    const { engine } = tenant.running;
    await tenant.listen();
    await take('heard', 700);
    await take('unheard', 900);
    await take('ahead', 2000);
    expect(await tenant.sweptAt(400)).toEqual(['heard']);
    await closeStreams(engine, tenant.tenant, ['stream']);
    expect(await tenant.sweptAt(700)).toEqual([]);
    await tenant.listen();
    expect(await tenant.sweptAt(800)).toEqual([]);
    expect(await tenant.dueAt()).toBe(900);
    expect(await tenant.sweptAt(1000)).toEqual([]);
    expect(await tenant.sweptAt(1300)).toEqual([]);
    expect(await tenant.sweptAt(1700)).toEqual(['ahead']);
  });
});
