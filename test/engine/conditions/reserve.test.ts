import { describe, expect, test } from 'vitest';
import { useLab } from './lab.ts';

const lab = useLab();

describe('a slot that is not ready', () => {
  test('is refused to a request without a condition, which is told why', async () => {
    await lab.register({ name: 'phone1' });
    expect(await lab.set('phone1', 'out', 'display dark')).toBe('CHANGED');
    expect(await lab.take('phone1', 'ann')).toBe('NOT_AVAILABLE: phone1 is out of service: display dark');
    expect(await lab.set('phone1', 'dirty')).toBe('CHANGED');
    expect(await lab.take('phone1', 'ann')).toBe('NOT_AVAILABLE: phone1 needs cleaning');
    expect(await lab.set('phone1', 'ready')).toBe('CHANGED');
    expect(await lab.take('phone1', 'ann')).toBe('phone1');
  });

  test('is given to a request for its condition, and to no other', async () => {
    await lab.register({ name: 'phone2' });
    await lab.set('phone2', 'dirty');
    expect(await lab.take('phone2', 'fixer', { condition: 'out' })).toBe('NOT_AVAILABLE: phone2 needs cleaning');
    expect(await lab.take('phone2', 'cleaner', { condition: 'dirty' })).toBe('phone2');
    expect(await lab.take('phone2', 'ann')).toBe('ALREADY_HELD');
  });

  test('is needed by a request for its condition', async () => {
    await lab.register({ name: 'phone3' }, { name: 'phones', capacity: 2 });
    expect(await lab.take('phone3', 'cleaner', { condition: 'dirty' })).toBe('NOT_AVAILABLE: phone3 is ready');
    expect(await lab.take('phones_1', 'cleaner', { condition: 'dirty' })).toBe('NOT_AVAILABLE: phones_1 is ready');
    expect(await lab.take('phones', 'cleaner', { condition: 'out' })).toBe(
      'NOT_AVAILABLE: none of 2 slots is out of service',
    );
  });

  test('is not taken from its holder, nor handed on afterwards', async () => {
    await lab.register({ name: 'phone4' });
    const held = await lab.reserve('phone4', 'ann');
    await lab.set('phone4', 'out', 'hot');
    expect((await lab.reserve('phone4', 'ann')).status).toBe('ALREADY_HAD');
    expect(await lab.take('phone4', 'ben')).toBe('ALREADY_HELD');
    expect(await lab.release(held)).toMatchObject({ status: 'RELINQUISHED', condition: 'out' });
    expect(await lab.take('phone4', 'ben')).toBe('NOT_AVAILABLE: phone4 is out of service: hot');
  });
});

describe('a pool', () => {
  test('gives the lowest slot in the condition that is asked for', async () => {
    await lab.register({ name: 'rig', capacity: 6 });
    for (const slot of ['rig_0', 'rig_3']) await lab.set(slot, 'dirty');
    for (const slot of ['rig_1', 'rig_5']) await lab.set(slot, 'out');
    expect(await lab.take('rig', 'a')).toBe('rig_2');
    expect(await lab.take('rig', 'b', { condition: 'dirty' })).toBe('rig_0');
    expect(await lab.take('rig', 'c', { condition: 'dirty' })).toBe('rig_3');
    expect(await lab.take('rig', 'd', { condition: 'out' })).toBe('rig_1');
    expect(await lab.take('rig', 'e')).toBe('rig_4');
    expect(await lab.take('rig', 'f')).toBe('NOT_AVAILABLE: 2 of 6 slots are out of service, 2 need cleaning');
    expect(await lab.take('rig', 'g', { condition: 'dirty' })).toBe('NOT_AVAILABLE');
  });

  test('gives several slots only if so many are in the condition', async () => {
    await lab.register({ name: 'rack', capacity: 4 });
    await lab.set('rack_1', 'dirty');
    await lab.set('rack_2', 'dirty');
    expect(await lab.take('rack', 'a', { count: 3 })).toBe('NOT_AVAILABLE: 2 of 4 slots need cleaning');
    expect((await lab.reserve('rack', 'a', { count: 2 })).slots).toEqual(['rack_0', 'rack_3']);
    expect((await lab.reserve('rack', 'b', { count: 2, condition: 'dirty' })).slots).toEqual(['rack_1', 'rack_2']);
  });

  test('gives a slot beyond the first chunk of 512', async () => {
    await lab.register({ name: 'big', capacity: 1100 });
    for (const i of [0, 1, 2, 513]) await lab.set(`big_${i}`, 'out');
    await lab.set('big_1050', 'dirty');
    expect(await lab.take('big', 'a', { condition: 'dirty' })).toBe('big_1050');
    expect(await lab.take('big', 'b')).toBe('big_3');
    expect(await lab.take('big_513', 'c', { condition: 'out' })).toBe('big_513');
  });
});

describe('what a plan takes along', () => {
  test('has to be ready: ancestors', async () => {
    await lab.register({ name: 'room' }, { name: 'desk', treePath: 'room' });
    await lab.set('room', 'out', 'flood');
    expect(await lab.take('desk', 'ann')).toBe('NOT_AVAILABLE: ancestor room is out of service: flood');
    await lab.set('desk', 'dirty');
    expect(await lab.take('desk', 'ann', { condition: 'dirty' })).toBe(
      'NOT_AVAILABLE: ancestor room is out of service: flood',
    );
  });

  test('has to be ready: an ancestor that is a pool', async () => {
    await lab.register({ name: 'hall', capacity: 2 }, { name: 'stand', treePath: 'hall' });
    await lab.set('hall', 'dirty');
    expect(await lab.take('stand', 'ann')).toBe('NOT_AVAILABLE: ancestor hall: 2 of 2 slots need cleaning');
    await lab.set('hall_1', 'ready');
    expect((await lab.reserve('stand', 'ann')).acquiredSlots).toEqual({ hall: 'hall_1' });
  });

  test('has to be ready: blockers, also those that others hold', async () => {
    await lab.register({ name: 'Ink' }, { name: 'printer', capacity: 3, blocks: ['Ink'] });
    expect((await lab.reserve('printer', 'ann')).status).toBe('ACQUIRED');
    await lab.set('Ink', 'out');
    expect(await lab.take('printer', 'ben')).toBe('NOT_AVAILABLE: blocker Ink is out of service');
    await lab.set('Ink', 'ready');
    expect((await lab.reserve('printer', 'ben')).status).toBe('ACQUIRED');
  });

  test('serves its requester again, whatever its condition', async () => {
    await lab.register(
      { name: 'van', capacity: 2 },
      ...['a', 'b'].map((name) => ({ name: `seat-${name}`, treePath: 'van' })),
    );
    expect((await lab.reserve('seat-a', 'ann')).acquiredSlots).toEqual({ van: 'van_0' });
    await lab.set('van_0', 'out');
    expect((await lab.reserve('seat-b', 'ann')).acquiredSlots).toEqual({ van: 'van_0' });
    expect(await lab.take('van', 'ann')).toBe('NOT_AVAILABLE: 1 of 2 slots is out of service');
  });
});

describe('a SHARED hold', () => {
  test('can be joined only while the slot is ready', async () => {
    await lab.register({ name: 'map' });
    expect((await lab.reserve('map', 'ann', { mode: 'SHARED' })).status).toBe('ACQUIRED');
    await lab.set('map', 'dirty');
    expect(await lab.take('map', 'ben', { mode: 'SHARED' })).toBe('NOT_AVAILABLE: map needs cleaning');
    expect((await lab.reserve('map', 'ann', { mode: 'SHARED' })).status).toBe('ALREADY_HAD');
  });
});

describe('a plain name', () => {
  test('has no condition', async () => {
    expect(await lab.set('plain', 'out')).toBe('NOT_VALID: plain is not registered: it has no condition');
    expect(await lab.take('plain', 'ann', { condition: 'dirty' })).toBe(
      'NOT_VALID: plain is not registered: it has no condition',
    );
  });
});

describe('setCondition', () => {
  test('sets all slots of a pool, and tells whether one has changed', async () => {
    await lab.register({ name: 'bay', capacity: 3 });
    expect(await lab.set('bay', 'out', 'moving')).toBe('CHANGED');
    expect(await lab.set('bay', 'out', 'moving')).toBe('UNCHANGED');
    expect(await lab.set('bay_1', 'out', 'lost')).toBe('CHANGED');
    expect(await lab.conditionsOf('bay', 3)).toBe('out: moving out: lost out: moving');
  });

  test('refuses names that are no slots', async () => {
    await lab.register({ name: 'floor', group: true }, { name: 'two', capacity: 2 });
    expect(await lab.set('floor', 'out')).toBe('NOT_VALID: floor is a group');
    expect(await lab.set('two_2', 'out')).toBe('NOT_VALID: two has 2 slots, two_0 to two_1');
  });

  test('refuses a request for more than 500 slots', async () => {
    await lab.register({ name: 'huge', capacity: 501 });
    await expect(lab.set('huge', 'out')).rejects.toThrow(
      '[0].resource takes the request over 500 slots: name some of them',
    );
  });
});
