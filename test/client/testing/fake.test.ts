/** The fake has more than the calls of a client: a clock, other holders, and leases that are lost. */
import { beforeEach, describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../packages/client/src/index.ts';
import { type FakeHoldfast, fakeHoldfast } from '../../../packages/client/src/testing/index.ts';

let holdfast: FakeHoldfast;
beforeEach(() => {
  holdfast = fakeHoldfast();
});

/** Work that ends when its signal aborts. */
const untilLost = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('heldBy', () => {
  test('lets somebody else hold a resource until it is called back', async () => {
    const release = holdfast.heldBy('printer', 'bob', { note: 'by hand' });
    await expect(holdfast.reserve('printer')).rejects.toMatchObject({
      code: 'ALREADY_HELD',
      heldBy: { requester: 'bob', note: 'by hand', expiresAt: null },
    });
    release();
    expect(await holdfast.available('printer')).toBe(true);
  });

  test('refuses what is held already', async () => {
    await holdfast.reserve('printer');
    expect(() => holdfast.heldBy('printer', 'bob')).toThrow('bob cannot have printer: ALREADY_HELD');
  });
});

describe('loseLease', () => {
  test('aborts the signal of using, which rejects with LEASE_LOST, and the next one has its turn', async () => {
    let isLost = false;
    const work = holdfast.using('printer', async (_, signal) => {
      await holdfast.loseLease('printer');
      isLost = signal.aborted;
      return 'done all the same';
    });
    const next = holdfast.using('printer', { wait: '1m' }, (hold) => hold.requester);
    const error: unknown = await work.catch((reason) => reason);
    expect(error).toBeInstanceOf(HoldfastError);
    expect(error).toMatchObject({ code: 'LEASE_LOST' });
    expect(isLost).toBe(true);
    expect(await next).toBe(`${holdfast.requester}#2`);
  });

  test('finds a slot of a pool, and all that was taken with it', async () => {
    await holdfast.register([{ name: 'phones', capacity: 2 }]);
    const hold = await holdfast.reserve(['phones', 'rack']);
    await holdfast.loseLease('phones_0');
    expect(hold.signal.aborted).toBe(true);
    expect(await holdfast.active()).toEqual([]);
  });

  test('of a hold of a session ends the session', async () => {
    const session = await holdfast.session();
    await session.reserve('a');
    await session.reserve('b');
    await holdfast.loseLease('a');
    expect(session.signal.aborted).toBe(true);
    expect(await holdfast.active()).toEqual([]);
    await expect(session.reserve('c')).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });

  test('comes after the calls that were made before it', async () => {
    const work = holdfast.using('printer', (_, signal) => untilLost(signal));
    await Promise.all([expect(work).rejects.toMatchObject({ code: 'LEASE_LOST' }), holdfast.loseLease('printer')]);
  });

  test('says if this client does not hold it', async () => {
    holdfast.heldBy('printer', 'bob');
    await expect(holdfast.loseLease('printer')).rejects.toThrow('This client does not hold printer');
  });
});

describe('advance', () => {
  test('ends a lease that nobody renews, before it ends at the service', async () => {
    const hold = await holdfast.reserve('printer', { ttl: '30s' });
    const lost = expect(untilLost(hold.signal)).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await holdfast.advance('27s');
    expect(hold.signal.aborted).toBe(false);
    await holdfast.advance('1s');
    await lost;
    expect(await holdfast.available('printer')).toBe(false);
    await holdfast.advance('2s');
    expect(await holdfast.available('printer')).toBe(true);
  });

  test('renews what is renewed: a work of an hour keeps its lease of 30 s', async () => {
    const ended = await holdfast.using('printer', async (_, signal) => {
      await holdfast.advance('1h');
      return signal.aborted;
    });
    expect(ended).toBe(false);
  });

  test('ends waits, each in its order', async () => {
    holdfast.heldBy('printer', 'bob');
    const codes: string[] = [];
    const wait = (time: '1m' | '2m') =>
      holdfast.reserve('printer', { wait: time }).catch(({ code }) => void codes.push(`${time} ${code}`));
    const waits = [wait('2m'), wait('1m')];
    await holdfast.advance('90s');
    expect(codes).toEqual(['1m ALREADY_HELD']);
    await holdfast.advance('1m');
    await Promise.all(waits);
    expect(codes).toEqual(['1m ALREADY_HELD', '2m ALREADY_HELD']);
  });
});

describe('what the fake does not have', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['trees', () => holdfast.register([{ name: 'room', treePath: 'House' }])],
    ['blockers', () => holdfast.register([{ name: 'rig', blocks: ['left'] }])],
    ['/Resource/tree', () => holdfast.tree()],
    ['transactions FIRST', () => holdfast.transaction({ method: 'FIRST', requests: [RESERVE] })],
  ])('says so: %s', async (what, call) => {
    await expect(call()).rejects.toThrow(`fakeHoldfast has no ${what}: test it with a real service`);
  });
});

const RESERVE = { requestType: 'RESERVE', resource: 'printer' } as const;
