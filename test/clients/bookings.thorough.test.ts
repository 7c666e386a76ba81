/** A client beside bookings of others: its work ends before they start (docs/specification.md#bookings). */
import { describe, expect, test } from 'vitest';
import type { BookResult } from '../../src/contract/bookings.ts';
import { until } from '../support/until.ts';
import { CLIENTS } from './clients.ts';
import { Scene, useService } from './scene.ts';

useService();

const inSeconds = (seconds: number) => (Math.ceil(Date.now() / 1000) + seconds) * 1000;

/** Books the printer for 60 s from `start`, in ms since 1970. */
async function book({ caller }: Scene, requester: string, start: number): Promise<void> {
  const booking = {
    resource: 'printer',
    requester,
    start: new Date(start).toISOString(),
    end: new Date(start + 60_000).toISOString(),
  };
  const { body } = await caller.request<BookResult>('POST', '/api/v1/Booking', { bookings: [booking] });
  expect(body).toMatchObject({ status: 'BOOKED' });
}

async function openScene(client: (typeof CLIENTS)[number]): Promise<Scene> {
  const scene = await Scene.open(client);
  await scene.caller.register({ name: 'printer', bookable: true });
  return scene;
}

describe.concurrent.each(CLIENTS)('$name beside a booking', (client) => {
  test('tells the work as soon as the end is fixed, and that the lease is lost before the booking starts', async () => {
    await using scene = await openScene(client);
    const held = scene.program.send({ do: 'using', target: 'printer', options: { ttl: '9s' } });
    await held.event('holding');
    const start = inSeconds(9);
    await book(scene, 'bo', start);
    const fixed = await held.event('endFixed');
    expect(Date.parse(String(fixed.fields.end))).toBe(start);
    expect(start - fixed.at).toBeGreaterThan(4000);
    expect((await held.event('lost')).at).toBeLessThan(start);
    await expect(held.answer).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });

  test('takes a shorter lease where that will do, and tells the work at once', async () => {
    await using scene = await openScene(client);
    const start = inSeconds(20);
    await book(scene, 'bo', start);
    const refused = scene.program.send({ do: 'reserve', target: 'printer', options: { ttl: '60s' } });
    await expect(refused.answer).rejects.toMatchObject({ code: 'NOT_AVAILABLE' });
    const held = scene.program.send({ do: 'using', target: 'printer', options: { ttl: '60s', minTtl: '5s' } });
    expect(Date.parse(String((await held.event('endFixed')).fields.end))).toBe(start);
    await held.event('holding');
    const { remainingMs } = (await scene.program.do({ do: 'look', of: held.id })) as { remainingMs: number };
    expect(remainingMs).toBeLessThan(start - Date.now());
    await scene.program.do({ do: 'finish', of: held.id });
    expect(await held.answer).toEqual({});
  });

  test('does not release what is booked when its work ends', async () => {
    await using scene = await openScene(client);
    const start = inSeconds(1);
    await book(scene, 'bo', start);
    await until('it has begun', async () => (await scene.endOf('printer')) === start + 60_000);
    const options = { ttl: '10s', requester: 'bo' } as const;
    const held = scene.program.send({ do: 'using', target: 'printer', options });
    await held.event('holding');
    await scene.program.do({ do: 'finish', of: held.id });
    expect(await held.answer).toEqual({});
    expect(await scene.endOf('printer')).toBe(start + 60_000);
  });

  test('does not release what it had before, once its requester has booked that', async () => {
    await using scene = await openScene(client);
    const start = inSeconds(2);
    const options = { ttl: '3s', requester: 'bo' } as const;
    const held = scene.program.send({ do: 'using', target: 'printer', options });
    await held.event('holding');
    await book(scene, 'bo', start);
    await until('it has begun', async () => (await scene.endOf('printer')) === start + 60_000);
    await scene.program.do({ do: 'renew', of: held.id });
    await scene.program.do({ do: 'finish', of: held.id });
    expect(await held.answer).toEqual({});
    expect(await scene.endOf('printer')).toBe(start + 60_000);
  });
});
