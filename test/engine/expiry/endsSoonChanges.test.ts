/**
 * Leases that end soon are announced once, whatever changes: the due index, who wants to know, the setting, the clock
 * (docs/specification.md#leases-that-end-soon).
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { maskOf } from '../../../src/domain/eventTypes.ts';
import { reconcile } from '../../../src/engine/expiry/reconcile.ts';
import { sweep } from '../../../src/engine/expiry/sweep.ts';
import { expiryKey, expiryShard } from '../../../src/redis/keys.ts';
import { Listened } from '../../support/announcements.ts';
import { looking, server, useExpiry } from '../../support/expiry.ts';
import { changeHot } from '../../support/hotRecord.ts';
import { reserve } from '../../support/verbs.ts';

useExpiry();

const START = 1_000_000_000_000;
let tenant: Listened;
beforeEach(async () => {
  tenant = await Listened.start(server.url, looking, START);
});
afterEach(() => tenant.stop());

const take = (resource: string, ttlSeconds: number) =>
  reserve(tenant.running.engine, tenant.running.credential, [{ resource, requester: 'r', ttlSeconds }]);

describe('the due index, if somebody listens', () => {
  test('has the tenant one window after the last look, so that no reserve has to write it for an announcement', async () => {
    await tenant.listen();
    await take('a', 5000);
    expect(await tenant.dueAt()).toBe(299.999);
    expect(await tenant.sweptAt(300)).toEqual([]);
    expect(await tenant.dueAt()).toBe(600);
    await tenant.at(310);
    await take('b', 900);
    expect(await tenant.dueAt()).toBe(600);
    await tenant.sweptAt(600);
    expect(await tenant.dueAt()).toBe(900);
    await tenant.sweptAt(900);
    expect(await tenant.dueAt()).toBe(910);
    expect(await tenant.sweptAt(910)).toEqual(['b']);
  });

  test('lets go of a tenant without leases, and has it again with the first', async () => {
    await tenant.listen();
    await tenant.sweptAt(300);
    expect(await tenant.dueAt()).toBeNull();
    await tenant.at(1000);
    await take('a', 5000);
    expect(await tenant.dueAt()).toBe(1300);
  });

  test('is repaired if a failover has lost the tenant', async () => {
    const { engine } = tenant.running;
    const shard = expiryKey(expiryShard(tenant.tenant));
    await tenant.listen();
    await changeHot(looking, tenant.tenant, { listenUntil: Date.now() + 10 ** 9 });
    await take('lab', 700);
    // Its clock is far behind that of Redis, by which this is years after the time of the next look.
    for (const lost of [
      () => looking.zrem(shard, tenant.tenant),
      () => looking.zadd(shard, Date.now() + 10 ** 9, tenant.tenant),
    ]) {
      await lost();
      expect(await reconcile(engine.redis)).toBe(1);
      expect(await reconcile(engine.redis)).toBe(0);
    }
    await tenant.at(400);
    await sweep(engine.redis);
    expect(await tenant.told()).toMatchObject([{ type: 'RESERVED' }, { type: 'ENDS_SOON', resource: 'lab' }]);
  });
});

describe('a changed endsSoonSeconds', () => {
  test('announces at once what ends within a longer one', async () => {
    await tenant.listen();
    await take('a', 4000);
    await tenant.sweptAt(2500);
    await tenant.set(1800);
    expect(await tenant.sweptAt(2501)).toEqual(['a']);
    await tenant.set(300);
    expect(await tenant.sweptAt(3700)).toEqual([]);
  });

  test('announces nothing twice within a shorter one, and all that was not announced', async () => {
    await tenant.set(3600);
    await tenant.listen();
    await take('told', 7200);
    await take('between', 6000);
    expect(await tenant.sweptAt(3600)).toEqual(['told']);
    await tenant.set(300);
    await tenant.sweptAt(3600);
    await tenant.at(3601);
    await take('later', 1000);
    expect(await tenant.sweptAt(4300)).toEqual([]);
    expect(await tenant.sweptAt(4301)).toEqual(['later']);
    expect(await tenant.sweptAt(5700)).toEqual(['between']);
    expect(await tenant.sweptAt(7000)).toEqual([]);
  });

  test('of 0 announces nothing', async () => {
    await tenant.set(0);
    await tenant.listen();
    await take('a', 1000);
    expect(await tenant.dueAt()).toBe(1000);
    expect(await tenant.sweptAt(999)).toEqual([]);
    await tenant.set(5);
    expect(await tenant.sweptAt(999)).toEqual(['a']);
  });
});

describe('a clock that is set back', () => {
  test('by less than the window announces nothing twice, and all that begins later', async () => {
    await tenant.listen();
    await take('before', 700);
    expect(await tenant.sweptAt(400)).toEqual(['before']);
    await tenant.at(150);
    // reconcile() has the sweep look within a minute.
    await sweep(tenant.running.engine.redis);
    await take('after', 600);
    expect(await tenant.sweptAt(400)).toEqual([]);
    expect(await tenant.sweptAt(450)).toEqual(['after']);
  });

  test('by more announces nothing twice, and all that is made after the next look', async () => {
    await tenant.listen();
    await take('before', 20_000);
    await tenant.sweptAt(19_000);
    await take('at the end', 900);
    expect(await tenant.sweptAt(19_700)).toEqual(['at the end', 'before']);
    await tenant.at(10_000);
    await sweep(tenant.running.engine.redis);
    await take('after', 700);
    expect(await tenant.sweptAt(10_400)).toEqual(['after']);
    expect(await tenant.sweptAt(10_700)).toEqual([]);
    expect(await tenant.sweptAt(19_500)).toEqual([]);
    expect(await tenant.sweptAt(19_900)).toEqual([]);
  });
});

describe('leases that end soon, if a subscription or a person wants to know', () => {
  const ENDS_SOON = maskOf(['ENDS_SOON']);

  test('are announced into the outbox, from then on', async () => {
    await take('passed', 650);
    await take('ahead', 1000);
    await tenant.sweptAt(400);
    await tenant.want({ types: ENDS_SOON, personTypes: 0 });
    expect(await tenant.dueAt()).toBe(650);
    for (const at of [650, 700, 950]) await tenant.sweptAt(at);
    const entries = await looking.xrange(`{${tenant.tenant}}:outbox`, '-', '+');
    expect(entries.map(([, [, text]]) => text)).toEqual([expect.stringContaining('"resource":"ahead"')]);
    await take('later', 700);
    await looking.zrem(expiryKey(expiryShard(tenant.tenant)), tenant.tenant);
    expect(await reconcile(tenant.running.engine.redis)).toBe(1);
  });

  test('are announced to persons only if they hold them', async () => {
    const { engine, credential } = tenant.running;
    await tenant.want({ types: 0, personTypes: ENDS_SOON });
    await take('of a program', 700);
    await reserve(engine, credential, [{ resource: 'mine', requester: 'person:ann@example.com', ttlSeconds: 700 }]);
    await tenant.sweptAt(300);
    await tenant.sweptAt(400);
    const entries = await looking.xrange(`{${tenant.tenant}}:outbox`, '-', '+');
    expect(entries.map(([, [, text]]) => text)).toEqual([expect.stringContaining('"resource":"mine"')]);
  });
});
