/**
 * Requests that wait for slots in a condition: ready ones, dirty ones to clean, or those out of service to repair
 * (docs/specification.md#waiting-for-a-condition).
 */
import { describe, expect, test } from 'vitest';
import { reserve as reserveWith } from '../../../src/engine/reservations/reserve.ts';
import { cancel } from '../../../src/engine/waiting/cancel.ts';
import { check } from '../../support/verbs.ts';
import {
  askFor,
  askForAll,
  become,
  dirty,
  itemOf,
  queue,
  register,
  release,
  take,
  WAIT,
} from '../../support/waitingConditions.ts';
import { CALL, running, useWaitingEngine } from '../../support/waitingEngine.ts';

useWaitingEngine(Date.UTC(2050, 0, 1));

const KEPT = 'NOT_AVAILABLE: kept for a waiting request';

describe('a ticket competes for the resource itself only with requests for the same condition', () => {
  test('a user who waits does not lock the cleaner out', async () => {
    await register({ name: 'phone', afterUse: 'dirty' });
    expect(await askFor('user', 'phone')).toBe('WAITING');
    expect((await take('cleaner', dirty('phone'))).status).toBe('ACQUIRED');
  });

  test('a cleaner who waits gets what a user returns, whoever waits ahead, and then the user gets it', async () => {
    await register({ name: 'phone', afterUse: 'dirty' });
    await become('ready', 'phone');
    const used = await take('ann', 'phone');
    expect(await askFor('user', 'phone', { priority: 1 })).toBe('WAITING');
    expect(await askFor('cleaner', dirty('phone'))).toBe('WAITING');
    await release(used);
    expect(await queue()).toEqual(['user']);
    const cleaning = await take('cleaner', dirty('phone'));
    expect(cleaning.status).toBe('ALREADY_HAD');
    await release(cleaning, 'ready');
    expect(await queue()).toEqual([]);
    expect((await take('user', 'phone')).status).toBe('ALREADY_HAD');
  });

  test('cleaners keep a dirty slot from cleaners behind them, and from no user', async () => {
    await register({ name: 'phones', capacity: 2 });
    await become('dirty', 'phones_0');
    await take('holder', 'door');
    expect(await askForAll('first', [dirty('phones'), 'door'])).toBe('WAITING');
    expect((await take('second', dirty('phones'))).explanation).toBe(KEPT);
    expect((await take('user', 'phones')).acquiredSlots).toEqual({ phones: 'phones_1' });
  });

  test('a slot that a user waits for by name is not kept from its cleaner', async () => {
    await register({ name: 'phones', capacity: 2 });
    await become('dirty', 'phones_0');
    expect(await askFor('user', 'phones_0')).toBe('WAITING');
    expect((await take('cleaner', dirty('phones'))).acquiredSlots).toEqual({ phones: 'phones_0' });
  });
});

describe('the slots that a resource has for users are all but those out of service', () => {
  test('a dirty slot comes back: what is ready is kept for a count whose turn has come', async () => {
    await register({ name: 'phones', capacity: 3 });
    const used = await take('holder', 'phones');
    await become('dirty', 'phones_1');
    expect(await askFor('ann', { resource: 'phones', count: 3 })).toBe('WAITING');
    expect((await take('bob', 'phones')).explanation).toBe(KEPT);
    await release(used);
    expect((await take('bob', 'phones')).explanation).toBe(KEPT);
    await release(await take('cleaner', dirty('phones')), 'ready');
    expect((await take('ann', 'phones')).slots).toEqual(['phones_0', 'phones_1', 'phones_2']);
  });

  test('a count does not starve in a pool that is always being cleaned', async () => {
    await register({ name: 'phones', capacity: 3, afterUse: 'dirty' });
    await become('ready', 'phones');
    const holders = [await take('a', 'phones'), await take('b', 'phones'), await take('c', 'phones')];
    expect(await askFor('ann', { resource: 'phones', count: 2 })).toBe('WAITING');
    for (const one of holders) await release(one);
    await release(await take('cleaner', dirty('phones')), 'ready');
    // Of three slots, one is ready and two are being cleaned.
    expect((await take('bob', 'phones')).explanation).toBe(KEPT);
    await release(await take('cleaner', dirty('phones')), 'ready');
    expect((await take('ann', 'phones')).slots).toEqual(['phones_0', 'phones_1']);
  });

  test('the turn of a second ticket comes only if there are slots in service for both', async () => {
    await register({ name: 'phones', capacity: 3 });
    for (const door of ['door 1', 'door 2', 'door 3']) await take('holder', door);
    await become('out', 'phones_0');
    expect(await askForAll('ann', ['phones', 'door 1', 'lamp'])).toBe('WAITING');
    expect(await askForAll('bob', ['phones', 'door 2', 'cup'])).toBe('WAITING');
    expect(await askForAll('cleo', ['phones', 'door 3', 'pen'])).toBe('WAITING');
    for (const name of ['phones', 'lamp', 'cup']) expect((await take('dan', name)).explanation).toBe(KEPT);
    expect((await take('dan', 'pen')).status).toBe('ACQUIRED');
  });

  test('for cleaners they are the dirty ones', async () => {
    await register({ name: 'phones', capacity: 4 });
    for (const door of ['door 1', 'door 2', 'door 3']) await take('holder', door);
    await become('dirty', 'phones_0', 'phones_1');
    expect(await askForAll('first', [dirty('phones'), 'door 1', 'lamp'])).toBe('WAITING');
    expect(await askForAll('second', [dirty('phones'), 'door 2', 'cup'])).toBe('WAITING');
    expect(await askForAll('third', [dirty('phones'), 'door 3', 'pen'])).toBe('WAITING');
    for (const name of ['lamp', 'cup']) expect((await take('dan', name)).explanation).toBe(KEPT);
    expect((await take('dan', 'pen')).status).toBe('ACQUIRED');
  });
});

describe('a ticket that needs more slots than there are in their condition', () => {
  test('keeps nothing, and goes on waiting', async () => {
    await register({ name: 'phones', capacity: 3 });
    await become('out', 'phones_0', 'phones_1');
    expect(await askFor('ann', { resource: 'phones', count: 2 })).toBe('WAITING');
    expect((await take('bob', 'phones')).status).toBe('ACQUIRED');
    expect(await queue()).toEqual(['ann']);
  });

  test('keeps nothing of other resources either', async () => {
    await register({ name: 'phone' });
    await become('out', 'phone');
    expect(await askForAll('ann', ['phone', 'lamp'])).toBe('WAITING');
    expect((await take('bob', 'lamp')).status).toBe('ACQUIRED');
  });

  test('does not count there: those behind it have their turn', async () => {
    await register({ name: 'phone' }, { name: 'lamps', capacity: 2 });
    await become('out', 'phone');
    const lamp = await take('holder', 'lamps');
    expect(await askForAll('ann', ['phone', 'lamps'])).toBe('WAITING');
    expect(await askFor('bob', { resource: 'lamps', count: 2 })).toBe('WAITING');
    expect((await take('cleo', 'lamps')).explanation).toBe(KEPT);
    await release(lamp);
    expect(await queue()).toEqual(['ann']);
  });

  test('that it once kept is free in the step in which its slot goes out of service', async () => {
    await register({ name: 'phone' }, { name: 'lamps', capacity: 2 });
    await take('holder', 'phone');
    expect(await askForAll('ann', ['phone', 'lamps'])).toBe('WAITING');
    expect(await askFor('bob', { resource: 'lamps', count: 2 })).toBe('WAITING');
    await become('out', 'phone');
    expect(await queue()).toEqual(['ann']);
  });

  test('is next again in the step in which the slot is back, and keeps what it lacks', async () => {
    await register({ name: 'phone' }, { name: 'lamps', capacity: 2 });
    await become('out', 'phone');
    const door = await take('holder', 'door');
    expect(await askForAll('ann', ['phone', 'lamps', 'door'])).toBe('WAITING');
    expect((await take('bob', 'lamps')).status).toBe('ACQUIRED');
    await become('ready', 'phone');
    expect((await take('cleo', 'lamps')).explanation).toBe(KEPT);
    await release(door);
    expect(await queue()).toEqual([]);
  });

  test('ends only if the capacity is too small', async () => {
    await register({ name: 'phones', capacity: 3 });
    await become('out', 'phones');
    expect(await askFor('ann', { resource: 'phones', count: 3 })).toBe('WAITING');
    await register({ name: 'phones', capacity: 4 });
    expect(await queue()).toEqual(['ann']);
    await register({ name: 'phones', capacity: 2 });
    expect(await queue()).toEqual([]);
  });
});

describe('a slot that comes into the condition that somebody waits for', () => {
  test.each([
    ['a resource that is back in service goes to the user', 'phone', 'phone', 'out', 'ready'],
    ['a slot that is back goes to who waits for any of the pool', 'phones', 'phones_1', 'out', 'ready'],
    ['a slot that is back goes to who waits for it by name', 'phones_1', 'phones_1', 'out', 'ready'],
    ['a slot that was cleaned by hand goes to the user', 'phones', 'phones_2', 'dirty', 'ready'],
  ] as const)('%s, in the same step', async (_, wanted, slot, before, after) => {
    await register({ name: 'phone' }, { name: 'phones', capacity: 3 });
    await become(before, 'phone', 'phones');
    expect(await askFor('user', wanted)).toBe('WAITING');
    await become(after, slot);
    expect(await queue()).toEqual([]);
    expect((await check(running.engine, running.credential, [{ resource: slot }]))[0]?.requester).toBe('user');
  });

  test('a dirty one goes to the cleaner, and one out of service to who repairs', async () => {
    await register({ name: 'phones', capacity: 3 });
    expect(await askFor('cleaner', dirty('phones'))).toBe('WAITING');
    expect(await askFor('smith', { resource: 'phones', condition: 'out' })).toBe('WAITING');
    await become('out', 'phones_1');
    expect(await queue()).toEqual(['cleaner']);
    await become('dirty', 'phones_2');
    expect(await queue()).toEqual([]);
  });

  test('a blocker that is back is joined', async () => {
    await register({ name: 'ink' }, { name: 'printers', capacity: 2, blocks: ['ink'] });
    expect((await take('ann', 'printers')).status).toBe('ACQUIRED');
    await become('out', 'ink');
    expect(await askFor('bob', 'printers')).toBe('WAITING');
    await become('ready', 'ink');
    expect(await queue()).toEqual([]);
  });

  test.each([
    ['House', 1],
    ['House_0', 2],
  ])('%s, an ancestor that its requester holds, is granted to it', async (slot, capacity) => {
    await register({ name: 'House', capacity }, { name: 'Hall', treePath: 'House' });
    await take('ann', 'Hall');
    expect(await askFor('ann', dirty('House'))).toBe('WAITING');
    await become('dirty', slot);
    expect(await queue()).toEqual([]);
  });

  test('nobody gets a slot in another condition', async () => {
    await register({ name: 'phones', capacity: 3 });
    await become('out', 'phones');
    expect(await askFor('user', 'phones')).toBe('WAITING');
    expect(await askFor('cleaner', dirty('phones'))).toBe('WAITING');
    const repaired = await take('smith', { resource: 'phones', condition: 'out' });
    await release(repaired);
    expect(await queue()).toEqual(['user', 'cleaner']);
  });
});

describe('at ancestors and blockers all tickets count', () => {
  const registerHouse = () =>
    register(
      { name: 'House', capacity: 2 },
      { name: 'Hall', treePath: 'House' },
      { name: 'Room', treePath: 'House' },
      { name: 'Yard', treePath: 'House' },
    );

  test('but users keep nothing there from who cleans: cleaning makes room', async () => {
    await registerHouse();
    await become('dirty', 'Room');
    await take('holder', 'Hall');
    expect(await askForAll('ann', ['Hall', 'House'])).toBe('WAITING');
    expect((await take('bob', 'Yard')).explanation).toBe(KEPT);
    expect((await take('cleaner', dirty('Room'))).status).toBe('ACQUIRED');
  });

  test('who waits to clean keeps something there, from users and from others who clean', async () => {
    await registerHouse();
    await become('dirty', 'Room', 'Yard');
    await take('holder', 'door');
    await take('holder', 'Hall');
    expect(await askForAll('cleaner', [dirty('Room'), 'door'])).toBe('WAITING');
    expect((await take('bob', 'House')).explanation).toBe(KEPT);
    expect((await take('other', dirty('Yard'))).explanation).toBe(KEPT);
  });

  test('an ancestor has to be ready, but not the one that the requester holds', async () => {
    await registerHouse();
    await become('out', 'House');
    expect(await askFor('ann', 'Hall')).toBe('WAITING');
    await become('ready', 'House_1');
    expect(await queue()).toEqual([]);
    await become('out', 'House_1');
    expect(await askFor('ann', 'Room')).toBe('ACQUIRED');
  });
});

describe('the condition is part of the request of a ticket', () => {
  test('but not of a reservation: a ticket ends when its requester reserves what it held as an ancestor', async () => {
    await register({ name: 'House' }, { name: 'Hall', treePath: 'House' });
    await take('ann', 'Hall');
    expect(await askFor('ann', dirty('House'))).toBe('WAITING');
    expect((await take('ann', 'House')).status).toBe('ACQUIRED');
    expect(await queue()).toEqual([]);
  });

  test('two conditions of a resource are two tickets, and a cancel ends both', async () => {
    const { engine, credential } = running;
    await register({ name: 'phone' });
    await take('holder', 'phone');
    expect(await askFor('ann', 'phone')).toBe('WAITING');
    expect(await askFor('ann', dirty('phone'))).toBe('WAITING');
    expect(await askFor('ann', dirty('phone'))).toBe('WAITING');
    expect(await queue()).toEqual(['ann', 'ann']);
    // An idle cleaner is not in the line of users.
    expect((await check(engine, credential, [{ resource: 'phone' }]))[0]?.waiting).toBe(1);
    await cancel(engine, credential, [{ resource: 'phone', requester: 'ann' }]);
    expect(await queue()).toEqual([]);
  });

  test('tickets for other conditions are not ahead', async () => {
    await register({ name: 'phone' });
    await become('out', 'phone');
    await askFor('ann', 'phone');
    await askFor('cleaner', dirty('phone'));
    const { engine, credential } = running;
    const item = { ...itemOf('cleaner', dirty('phone')), ...WAIT };
    const { result } = await reserveWith(engine, credential, [item], CALL);
    const waiting = { ahead: 0, waitsFor: 'phone' };
    expect(result[0]).toMatchObject({ explanation: 'WAITING: you are next', waiting });
  });
});
