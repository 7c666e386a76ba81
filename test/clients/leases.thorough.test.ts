/** Leases: renewed while the work runs, and told as lost. inTime.thorough.test.ts has how soon. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fakeClock } from '../support/languages.ts';
import { until } from '../support/until.ts';
import { CLIENTS, type Client } from './clients.ts';
import { Scene, useService } from './scene.ts';

useService();
const folder = mkdtempSync(join(tmpdir(), 'holdfast-clock-'));
beforeAll(() => void fakeClock(folder));
afterAll(() => rmSync(folder, { recursive: true }));

const using = { do: 'using', target: 'printer', options: { ttl: '4s' } } as const;

let clocks = 0;
/** Starts a program whose wall clock `set` sets forward by some seconds, or back. */
async function withClock(client: Client) {
  const file = join(folder, `${client.name} ${clocks++}`);
  const set = (seconds: number) => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}`);
  set(0);
  const scene = await Scene.open(client, { start: await client.startWithClock(file) });
  return { scene, set };
}

describe.concurrent.each(CLIENTS)('$name: a process that is stopped', (client) => {
  test('for less than its lease renews it', async () => {
    await using scene = await Scene.open(client);
    const { program } = scene;
    const held = program.send({ do: 'using', target: 'printer', options: { ttl: '6s' } });
    await held.event('holding');
    program.kill('SIGSTOP');
    const stoppedAt = performance.now();
    const end = await scene.endOf('printer');
    await until('a renewal is overdue', () => performance.now() - stoppedAt > 2200);
    program.kill('SIGCONT');
    await until('it is renewed', async () => (await scene.endOf('printer')) > end);
    expect(await program.do({ do: 'look', of: held.id })).toMatchObject({ lost: false });
    await program.do({ do: 'finish', of: held.id });
    expect(await held.answer).toEqual({});
  });
});

describe.concurrent.each(CLIENTS)('$name: a lease that is lost', (client) => {
  test('since somebody ended it is told by the next renewal', async () => {
    await using scene = await Scene.open(client);
    const held = scene.program.send(using);
    await held.event('holding');
    const end = await scene.endOf('printer');
    await scene.caller.reset();
    expect((await held.event('lost')).at).toBeLessThan(end - 1000);
    await expect(held.answer).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });

  test.each([
    ['the work did not notice', false, undefined],
    ['the work failed, whose error is the cause', true, 'WORK'],
  ])('fails the call even if %s', async (_, fail, cause) => {
    await using scene = await Scene.open(client);
    const held = scene.program.send({ do: 'using', target: 'printer', work: 'blind' });
    await held.event('holding');
    await scene.caller.reset();
    await scene.program.do({ do: 'finish', of: held.id, fail });
    const error = await held.answer.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'LEASE_LOST', ...(cause && { cause }) });
  });
});

describe.concurrent.each(CLIENTS)('$name: the wall clock', (client) => {
  test('set forward beyond the lease ends the work at its next look', async () => {
    const { scene, set } = await withClock(client);
    await using _ = scene;
    const held = scene.program.send({ ...using, options: { ttl: '20s' } });
    await held.event('holding');
    set(60);
    await held.event('lost');
    expect(Date.now()).toBeLessThan((await scene.endOf('printer')) || Number.POSITIVE_INFINITY);
    await expect(held.answer).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });

  test('set forward during a wait costs no lease', async () => {
    const { scene, set } = await withClock(client);
    await using _ = scene;
    const { caller, program, proxy } = scene;
    const others = { resource: 'printer', requester: 'ann' };
    const [taken] = (await caller.reserve({ ...others, ttlSeconds: 60 })).body;
    const waits = program.send({ do: 'reserve', target: 'printer', options: { ttl: '6s', wait: '30s' } });
    await scene.isWaiting();
    set(3600);
    const before = proxy.noted.length;
    // The first one may have been made before.
    await until('a request after that', () => proxy.noted.length > before + 1);
    const release = [{ ...others, releaseToken: taken?.releaseToken }];
    await caller.request('POST', '/api/v1/Reservation/unreserve', release);
    await waits.answer;
    expect(await program.do({ do: 'look', of: waits.id })).toMatchObject({ lost: false });
  });

  test('set back changes nothing', async () => {
    const { scene, set } = await withClock(client);
    await using _ = scene;
    const held = scene.program.send(using);
    await held.event('holding');
    set(-3600);
    await scene.renewals('printer', 2);
    expect(await scene.program.do({ do: 'look', of: held.id })).toMatchObject({ lost: false });
    await scene.program.do({ do: 'finish', of: held.id });
    expect(await held.answer).toEqual({});
  });
});

describe.concurrent.each(CLIENTS)('$name: 100 holds', (client) => {
  test('are renewed by few requests a round', async () => {
    await using scene = await Scene.open(client);
    const { program, proxy } = scene;
    const options = { ttl: '12s' } as const;
    const held = program.sendAll(Array.from({ length: 100 }, (_, i) => ({ do: 'using', target: `r${i}`, options })));
    await Promise.all(held.map((one) => one.event('holding')));
    const requests = () => {
      const sizes = proxy.noted
        .filter(({ path }) => path === '/Reservation/renew')
        .map(({ body }): number => JSON.parse(body).length);
      const sums = sizes.map((_, i) => sizes.slice(0, i + 1).reduce((sum, size) => sum + size, 0));
      return sums.findIndex((sum) => sum >= 100) + 1;
    };
    // Three where nothing else runs. A busy machine grants the holds at up to three times, and renews them so.
    expect(await until('a round', requests)).toBeLessThanOrEqual(6);
    program.kill('SIGTERM');
    expect(await program.exit).toBe(0);
    expect((await scene.caller.active()).body).toEqual([]);
  });
});
