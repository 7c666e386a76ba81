/**
 * Tickets live for a time when callers or instances are gone (docs/specification.md#waiting-lifetimes). The tests wait
 * for real time, side by side, each for a resource of its own.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { LUA_FOLDER } from '../../src/redis/bundle.ts';
import { one, two, useTwo } from '../support/instance.ts';
import { type Poll, poll, queue, requesters, wanted } from '../support/polls.ts';
import { startProcess } from '../support/process.ts';
import { startInstance } from '../support/service.ts';

const keys = useTwo();

const take = async (resource: string) => {
  const { body } = await one.reserve({ resource, requester: 'owner' });
  return { resource, requester: 'owner', releaseToken: body[0]?.releaseToken ?? undefined };
};

/** Starts calls that wait for a resource, one after the other, each at an instance. */
async function enqueue(
  resource: string,
  ...places: readonly [at: { url: string; key: string }, requester: string, claimSeconds?: number][]
): Promise<Poll[]> {
  const held: Poll[] = [];
  for (const [instance, requester, claimSeconds = 5] of places) {
    held.push(poll(instance, [wanted(resource, requester, { claimSeconds })]));
    await queue(one, `${requester} waits`, (all) => requesters(all).includes(requester));
  }
  return held;
}

const isAttended = (requester: string) => async () =>
  (await one.waiting(`?requester=${requester}`)).body.map(({ attended }) => attended);

describe.concurrent('a caller that disconnects', () => {
  test('before its request is read gets no ticket, as after a pause of the instance', async () => {
    await take('unread');
    const { hostname, port } = new URL(one.url);
    const body = (i: number) => JSON.stringify([wanted('unread', `gone ${i}`)]);
    for (let i = 0; i < 10; i++) {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      const head = `POST /api/v1/Reservation/reserve HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Api-Key: ${one.key}`;
      const type = `Content-Type: application/json\r\nContent-Length: ${body(i).length}`;
      socket.write(`${head}\r\n${type}\r\n\r\n${body(i)}`);
      // The instance, which is in this process, reads both after this iteration of the event loop.
      socket.destroy();
    }
    const later = poll(one, [wanted('unread', 'later')]);
    const waiting = await queue(one, 'the later one waits', (all) => requesters(all).includes('later'));
    expect(requesters(waiting.filter(({ resources }) => resources.includes('unread')))).toEqual(['later']);
    await one.cancel({ resource: 'unread', requester: 'later' });
    await later.response;
  });

  test('is passed over after claimSeconds, and not granted before the next', async () => {
    const owner = await take('dead');
    const [gone, next] = await enqueue('dead', [one, 'gone'], [two, 'behind']);
    gone?.hangUp();
    const goneAt = performance.now();
    await expect.poll(isAttended('gone')).toEqual([false]);
    // Not only when pollSeconds have passed.
    expect(performance.now() - goneAt).toBeLessThan(15_000);
    expect(next?.isAnswered).toBe(false);
    await one.unreserve(owner);
    expect(await next?.first).toMatchObject({ status: 'ACQUIRED' });
    expect(requesters((await one.waiting('?resource=dead')).body)).toEqual(['gone']);
    await one.cancel({ resource: 'dead', requester: 'gone' });
  });

  test('is not told of a grant: that stays unclaimed, and falls to the next', async () => {
    const owner = await take('unclaimed');
    const [gone, next] = await enqueue('unclaimed', [one, 'hung up'], [two, 'next']);
    gone?.hangUp();
    await expect(gone?.response).rejects.toThrow();
    // The instance has seen the connection close before it answers this.
    await one.check({ resource: 'unclaimed' });
    await one.unreserve(owner);
    const { body } = await one.active();
    expect(body.filter(({ resource }) => resource === 'unclaimed')).toMatchObject([
      { requester: 'hung up', claimBy: expect.any(String) },
    ]);
    expect(await next?.first).toMatchObject({ status: 'ACQUIRED' });
  });

  test('has its turn when it comes back within claimSeconds, at any instance', async () => {
    const owner = await take('back');
    const [restarted, next] = await enqueue('back', [one, 'restarted'], [one, 'later']);
    restarted?.hangUp();
    const again = poll(two, [wanted('back', 'restarted', { claimSeconds: 5 })]);
    await one.unreserve(owner);
    expect(await again.first).toMatchObject({ status: 'ACQUIRED', requester: 'restarted' });
    expect(next?.isAnswered).toBe(false);
    next?.hangUp();
  });
});

describe.concurrent('an instance that is killed', () => {
  test('delays those behind its callers by its last beat and claimSeconds at most', async () => {
    const owner = await take('killed');
    const dying = await startProcess({
      REDIS_URL: inject('redisUrl'),
      API_KEYS: JSON.stringify(keys),
      ROLE: 'api',
    });
    const [lost, next] = await enqueue('killed', [{ url: dying.url, key: one.key }, 'lost'], [two, 'survivor']);
    dying.kill('SIGKILL');
    await expect(lost?.response).rejects.toThrow();
    const killedAt = performance.now();
    await one.unreserve(owner);
    expect(await next?.first).toMatchObject({ status: 'ACQUIRED' });
    // Its last beat counts for 6 s. Then claimSeconds pass, twice: the ticket was granted before it was passed over.
    expect(performance.now() - killedAt).toBeLessThan(18_000);
  });
});

/** Starts an instance whose scripts send no wake-ups. */
const startMute = () => {
  const file = join(LUA_FOLDER, 'waiting', 'queue.lua');
  const silent = readFileSync(file, 'utf8').replace("'wake:'", "'nobody listens:'");
  return startInstance({ keys, includes: { 'waiting/queue': silent } });
};

describe.concurrent('a wake-up that is lost', () => {
  test('of the end of a wait, is repaired by the next request', async () => {
    const mute = await startMute();
    const owner = await take('ended');
    const call = poll(one, [wanted('ended', 'cancelled')], 3);
    await queue(one, 'it waits', (all) => requesters(all).includes('cancelled'));
    expect((await mute.cancel({ resource: 'ended', requester: 'cancelled' })).body).toMatchObject([
      { status: 'CANCELLED' },
    ]);
    expect(await call.first).toMatchObject({ status: 'WAITING' });
    const again = poll(one, [wanted('ended', 'cancelled')]);
    await queue(one, 'it waits again', (all) => requesters(all).includes('cancelled'));
    await one.unreserve(owner);
    expect(await again.first).toMatchObject({ status: 'ACQUIRED' });
    await mute.stop();
  });

  test('of a grant, is repaired by the next beat', async () => {
    const mute = await startMute();
    const owner = await take('mute');
    const [waiter] = await enqueue('mute', [one, 'patient', 60]);
    const { body } = await mute.unreserve(owner);
    expect(body).toMatchObject([{ status: 'RELINQUISHED' }]);
    const releasedAt = performance.now();
    expect(await waiter?.first).toMatchObject({ status: 'ACQUIRED' });
    // Before the poll ends, after 20 s, and before the grant ends.
    expect(performance.now() - releasedAt).toBeLessThan(15_000);
    await mute.stop();
  });
});
