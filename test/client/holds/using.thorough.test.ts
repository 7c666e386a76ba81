/** `using`: the lease is renewed while the work runs, and always released. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Hold } from '../../../packages/client/src/index.ts';
import { type Pair, startPair } from '../../support/clients.ts';
import { until } from '../../support/until.ts';

let pair: Pair;
beforeAll(async () => {
  pair = await startPair();
  await pair.a.register([
    { name: 'pool', capacity: 3 },
    { name: 'phone1', labels: { os: 'android' } },
  ]);
});
afterAll(() => pair.stop());

const isFree = async (name: string) => !(await pair.b.check(name)).reserved;
/** The times at which leases end, as the service lists them, until there are so many different ones. */
const ends = (resource: string, count: number) => {
  const seen = new Set<string | null | undefined>();
  return until(`${count} leases`, async () => {
    seen.add((await pair.b.active({ resource }))[0]?.expiresAt);
    return seen.size >= count && [...seen];
  });
};

describe('the lease', () => {
  test('is renewed in the background for as long as the work runs', async () => {
    const result = await pair.a.using('work', { ttl: '2s' }, async (hold, signal) => {
      const first = hold.expiresAt;
      const { fencingToken } = hold;
      await ends('work', 5);
      expect(signal.aborted).toBe(false);
      expect(hold.fencingToken).toBe(fencingToken);
      expect((hold.expiresAt?.getTime() ?? 0) - (first?.getTime() ?? 0)).toBeGreaterThan(1500);
      return 'done';
    });
    expect(result).toBe('done');
    expect(await isFree('work')).toBe(true);
  });

  test('of several resources is renewed for all of them', async () => {
    await pair.a.using(['left', 'pool', 'right'], { ttl: '2s', wait: '5s' }, async ({ slots }) => {
      expect(slots).toEqual(['left', 'pool_0', 'right']);
      await Promise.all(['left', 'pool', 'right'].map((name) => ends(name, 4)));
    });
    expect(await pair.b.active()).toEqual([]);
  });

  test('that the work makes shorter is renewed in time', async () => {
    await pair.a.using('shorter', async (hold, signal) => {
      await hold.renew('2s');
      await ends('shorter', 4);
      expect(signal.aborted).toBe(false);
    });
  });

  test('is 30 s without options, and a match needs no name', async () => {
    const picked = await pair.a.using({ match: { os: ['android', 'ios'] }, wait: '5s' }, (hold) => {
      expect((hold.expiresAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(25_000);
      return hold.resource;
    });
    expect(picked).toBe('phone1');
  });
});

describe('the release', () => {
  test('follows an error of the work, which is thrown again', async () => {
    const work = () => Promise.reject(new Error('paper jam'));
    await expect(pair.a.using('jam', work)).rejects.toThrow('paper jam');
    await expect(
      pair.a.using('jam', () => {
        throw new Error('at once');
      }),
    ).rejects.toThrow('at once');
    expect(await isFree('jam')).toBe(true);
  });

  test('by the work itself is no error', async () => {
    expect(await pair.a.using('early', async (hold) => hold.release())).toBe(true);
  });

  test('at the end of a block', async () => {
    const seen: Hold[] = [];
    {
      await using hold = await pair.a.reserve('block');
      seen.push(hold);
      expect(await isFree('block')).toBe(false);
    }
    expect(seen).toHaveLength(1);
    expect(await isFree('block')).toBe(true);
  });
});

describe('the signal of the caller', () => {
  test('aborts the signal of the work, while the lease goes on', async () => {
    const giveUp = new AbortController();
    const outcome = await pair.a.using('stopped', { ttl: '2s', signal: giveUp.signal }, async (_, signal) => {
      giveUp.abort(new Error('shutting down'));
      expect(signal.aborted).toBe(true);
      expect(signal.reason).toMatchObject({ message: 'shutting down' });
      await ends('stopped', 3);
      return 'cleaned up';
    });
    expect(outcome).toBe('cleaned up');
    expect(await isFree('stopped')).toBe(true);
  });

  test('that has aborted lets nothing begin', async () => {
    const work = () => 'never';
    await expect(pair.a.using('never', { signal: AbortSignal.abort() }, work)).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(await isFree('never')).toBe(true);
  });
});
