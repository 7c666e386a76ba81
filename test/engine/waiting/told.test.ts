/**
 * What a ticket's long poll is told of it once it ends (docs/specification.md#requests-that-wait).
 */
import { describe, expect, test } from 'vitest';
import { dryReserve } from '../../../src/engine/reservations/dryRun.ts';
import { reserve as reserveWith } from '../../../src/engine/reservations/reserve.ts';
import { standingOf } from '../../../src/engine/waiting/call.ts';
import { reserve, unreserve } from '../../support/verbs.ts';
import { CALL, running, useWaitingEngine } from '../../support/waitingEngine.ts';

useWaitingEngine();

const wanted = (requester: string) => ({ resource: 'a', requester, ttlSeconds: 30, waitSeconds: 600 });
const take = async (requester: string) => {
  const [held] = await reserve(running.engine, running.credential, [{ resource: 'a', requester }]);
  if (held?.status !== 'ACQUIRED') throw new Error('is not free');
  return () => unreserve(running.engine, running.credential, [held]);
};
const ask = async (requester: string, pollMs = CALL.pollMs) => {
  const call = { ...CALL, pollMs };
  const { result, tickets } = await reserveWith(running.engine, running.credential, [wanted(requester)], call);
  return { waiting: result[0]?.waiting, ticket: tickets[0] ?? '' };
};
const standing = (...tickets: string[]) => standingOf(running.engine, running.credential, tickets);

describe('who is in the way of a ticket', () => {
  test('is read when its long poll ends, and not when it begins', async () => {
    await take('owner');
    const { waiting, ticket } = await ask('ann');
    expect(waiting).toMatchObject({ ahead: 0, waitsFor: 'a' });
    expect(waiting).not.toHaveProperty('reason');
    const reply = (await standing(ticket)).get(ticket)?.split('\n');
    expect(reply?.slice(0, 5)).toEqual(['WAITING', 'WAITING: you are next', ticket, '0', 'a']);
    expect(JSON.parse(reply?.[7] ?? '')).toMatchObject({ k: 'SLOTS', r: 'a', h: [{ q: 'owner' }] });
  });

  test('is told at once where no response is held', async () => {
    await take('owner');
    const reason = { kind: 'SLOTS', holders: [{ requester: 'owner' }] };
    expect((await ask('ann', 0)).waiting).toMatchObject({ reason });
    const [dry] = await dryReserve(running.engine, running.credential, [wanted('bob')], 20);
    expect(dry?.waiting).toMatchObject({ ahead: 1, reason });
  });

  test('is not told of a ticket that waits no more', async () => {
    const release = await take('owner');
    const tickets = [(await ask('ann')).ticket, (await ask('bob')).ticket];
    await release();
    const now = await standing(...tickets, '', '12345');
    expect([...now.keys()]).toEqual(tickets.slice(1));
  });
});
