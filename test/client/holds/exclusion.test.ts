/** Reservations exclude each other: those of two clients, and those of one client too. */
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Pair, startPair } from '../../support/clients.ts';
import { until } from '../../support/until.ts';

let pair: Pair;
beforeAll(async () => {
  pair = await startPair();
  await pair.a.register([
    { name: 'pool', capacity: 5 },
    { name: 'twin', capacity: 2 },
    { name: 'phone1', labels: { os: 'android' } },
    { name: 'phone2', labels: { os: 'android' } },
  ]);
});
afterAll(() => pair.stop());

describe('the requester of a client', () => {
  test('is unique to the object: host, process, random', () => {
    const names = [pair.client(), pair.client()].map(({ requester }) => requester);
    expect(names[0]).not.toBe(names[1]);
    for (const name of names) expect(name.startsWith(`${hostname()}-${process.pid}-`)).toBe(true);
  });

  test('can be chosen', () => {
    expect(pair.client({ requester: 'me' }).requester).toBe('me');
  });
});

describe('two clients', () => {
  test('exclude each other', async () => {
    let inside = 0;
    let most = 0;
    let done = 0;
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inside -= 1;
      done += 1;
    };
    const clients = [pair.a, pair.b, pair.a, pair.b];
    await Promise.all(clients.map((client) => client.using('lock', { wait: '30s' }, work)));
    expect({ most, done }).toEqual({ most: 1, done: 4 });
  });

  test('tell each other who holds it', async () => {
    await using hold = await pair.a.reserve('told', { note: 'why' });
    await expect(pair.b.reserve('told')).rejects.toMatchObject({
      name: 'HoldfastError',
      code: 'ALREADY_HELD',
      message: `told: ALREADY_HELD: ${hold.requester} has told (why)`,
      heldBy: { resource: 'told', requester: hold.requester, note: 'why' },
    });
    expect(await pair.b.tryReserve('told')).toBeNull();
    await expect(pair.b.tryReserve('pool_9')).rejects.toMatchObject({ code: 'NOT_VALID' });
  });
});

describe('one client', () => {
  test('with 64 callers of a pool of 5 uses 5 slots at most, and each of them gets its turn', async () => {
    const held = new Set<string>();
    let most = 0;
    const callers = Array.from({ length: 64 }, (_, i) =>
      pair.a.using('pool', { wait: '60s', ttl: '20s' }, async ({ slots: [slot = ''] }, signal) => {
        expect(held.has(slot)).toBe(false);
        held.add(slot);
        most = Math.max(most, held.size);
        await new Promise((resolve) => setTimeout(resolve, 3));
        expect(signal.aborted).toBe(false);
        held.delete(slot);
        return i;
      }),
    );
    expect(await Promise.all(callers)).toEqual(Array.from({ length: 64 }, (_, i) => i));
    expect(most).toBeLessThanOrEqual(5);
    expect(most).toBeGreaterThan(1);
    expect((await pair.b.check('pool')).reserved).toBe(false);
  });

  test('numbers its requesters from the lowest that is free', async () => {
    const client = pair.client();
    const [first, second] = [await client.reserve('pool'), await client.reserve('pool')];
    expect([first.requester, second.requester]).toEqual([client.requester, `${client.requester}#2`]);
    await using elsewhere = await client.reserve('elsewhere');
    expect(elsewhere.requester).toBe(client.requester);
    await first.release();
    await using again = await client.reserve(['pool', 'other']);
    expect(again.requester).toBe(client.requester);
    await using third = await client.reserve('other2');
    expect(third.requester).toBe(client.requester);
    await expect(client.reserve(['other', 'x'])).rejects.toMatchObject({ code: 'ALREADY_HELD' });
    await second.release();
  });

  test('keeps no number for what was refused', async () => {
    const client = pair.client();
    const other = await pair.b.reserve('refused');
    await expect(client.reserve('refused')).rejects.toMatchObject({ code: 'ALREADY_HELD' });
    await other.release();
    await using hold = await client.reserve('refused');
    expect(hold.requester).toBe(client.requester);
  });

  test('numbers those with the same match', async () => {
    const client = pair.client();
    const holds = await Promise.all([1, 2].map(() => client.reserve({ match: { os: 'android' } })));
    expect(holds.map(({ resource }) => resource).sort()).toEqual(['phone1', 'phone2']);
    expect(new Set(holds.map(({ requester }) => requester)).size).toBe(2);
    await expect(client.reserve({ match: { os: 'android' } })).rejects.toMatchObject({ code: 'NOT_AVAILABLE' });
    await Promise.all(holds.map((hold) => hold.release()));
  });

  test('does not take a slot twice under two names', async () => {
    const client = pair.client();
    await using byPool = await client.reserve('twin');
    expect(byPool.slots).toEqual(['twin_0']);
    await expect(client.reserve('twin_0')).rejects.toMatchObject({ code: 'ALREADY_HELD' });
    await expect(client.reserve(['free', 'twin_0'])).rejects.toMatchObject({ code: 'ALREADY_HELD' });
    expect((await client.check('free')).reserved).toBe(false);
  });

  test('uses a number again when the lease of a forgotten hold is over, and not before', async () => {
    const client = pair.client();
    const forgotten = await client.reserve('forgotten', { ttl: '1s' });
    const next = await client.reserve('forgotten', { wait: '10s' });
    expect(next.requester).toBe(`${client.requester}#2`);
    expect(forgotten.signal.aborted).toBe(true);
    await next.release();
    await until('the number is free', async () => {
      await using hold = await client.reserve('forgotten');
      return hold.requester === client.requester;
    });
  });
});

describe('a requester that the user chose', () => {
  test('has no numbers: a second hold of this client is refused', async () => {
    const client = pair.client({ requester: 'me' });
    await using hold = await client.reserve('mine');
    expect(hold.requester).toBe('me');
    await expect(client.reserve('mine')).rejects.toMatchObject({ code: 'ALREADY_HAD' });
    await expect(pair.b.reserve('mine', { requester: 'me' })).resolves.toMatchObject({ requester: 'me' });
  });

  test('finds its reservation again after a restart, with a whole lease', async () => {
    const before = await pair.client({ requester: 'worker-7' }).reserve('restarted', { ttl: '3s' });
    const after = await pair.client({ requester: 'worker-7' }).reserve('restarted', { ttl: '60s' });
    expect(after.fencingToken).toBe(before.fencingToken);
    expect((after.expiresAt?.getTime() ?? 0) - (before.expiresAt?.getTime() ?? 0)).toBeGreaterThan(50_000);
    await after.release();
  });

  test('does not get an endless reservation for one that ends', async () => {
    await pair.client({ requester: 'w' }).reserve('ends');
    const endless = pair.client({ requester: 'w' }).reserve('ends', { ttl: Number.POSITIVE_INFINITY });
    await expect(endless).rejects.toMatchObject({ code: 'ALREADY_HAD' });
    expect((await pair.a.check('ends')).reserved).toBe(true);
  });
});
