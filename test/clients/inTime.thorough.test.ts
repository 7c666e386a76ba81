/**
 * Every client tells its work in time that a lease is lost: before anybody else can have the resource. REPEATS says how
 * often each way to lose one is tried, in rounds of two; once if it is not set.
 */
import { describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { CLIENTS, type Client } from './clients.ts';
import type { Call } from './program.ts';
import { NOWHERE, Scene, useService } from './scene.ts';

const REPEATS = Number(process.env.REPEATS ?? 1);
const AT_ONCE = 2;

// Twice as many as it needs: for those that have to be tried again.
useService(4 * CLIENTS.length * REPEATS);

/**
 * Ways to lose a lease. Each returns whether the work was told in time, or undefined if the machine was so slow that
 * the work had not begun before the fault, or its lease was over.
 */
const WAYS: readonly (readonly [string, (client: Client) => Promise<boolean | undefined>])[] = [
  [
    'a process that was stopped finds it lost at its first look',
    async (client) => {
      await using scene = await Scene.open(client);
      const { program, caller } = scene;
      const held = program.send({ do: 'using', target: 'printer', options: { ttl: '4s' }, work: 'spin' });
      if (!(await hasBegun(held))) return undefined;
      await program.spins();
      program.kill('SIGSTOP');
      const end = await scene.endOf('printer');
      if (Number.isNaN(end)) return undefined;
      await until('its lease is over', () => Date.now() > end);
      const next = { resource: 'printer', requester: 'next', ttlSeconds: 60 };
      await until('the next one has it', async () => (await caller.reserve(next)).body[0]?.status === 'ACQUIRED');
      const isLate = held.told.some(({ event }) => event === 'woke');
      program.kill('SIGCONT');
      if (isLate) return undefined;
      const error = await held.answer.catch((reason: unknown) => reason);
      const woke = held.told.find(({ event }) => event === 'woke');
      if (woke === undefined) return undefined;
      expect(error).toMatchObject({ code: 'LEASE_LOST' });
      expect((await caller.check({ resource: 'printer' })).body).toMatchObject([{ requester: 'next' }]);
      return woke.fields.lost === true;
    },
  ],
  [
    'a service that cannot be reached',
    async (client) => {
      await using scene = await Scene.open(client);
      const held = scene.program.send({ do: 'using', target: 'printer', options: { ttl: '8s' } });
      if (!(await hasBegun(held))) return undefined;
      scene.proxy.target = NOWHERE;
      const end = await scene.endOf('printer');
      if (Number.isNaN(end)) return undefined;
      const { at } = await held.event('lost');
      await expect(held.answer).rejects.toMatchObject({ code: 'LEASE_LOST', cause: 'UNREACHABLE' });
      return at < end;
    },
  ],
];

/** Returns false if the lease was over before the work could begin. */
const hasBegun = (held: Call) =>
  held.event('holding').then(
    () => true,
    () => false,
  );

describe.concurrent.each(CLIENTS)('$name tells a lost lease in time', (client) => {
  test.each(WAYS)('%s', { timeout: 60_000 + REPEATS * 10_000 }, async (_, lose) => {
    let inTime = 0;
    let done = 0;
    while (done < REPEATS) {
      const round = Array.from({ length: Math.min(AT_ONCE, REPEATS - done) }, () => lose(client));
      const told = (await Promise.all(round)).filter((isTold) => isTold !== undefined);
      done += told.length;
      inTime += told.filter(Boolean).length;
    }
    expect(`${inTime} of ${REPEATS}`).toBe(`${REPEATS} of ${REPEATS}`);
  });
});
