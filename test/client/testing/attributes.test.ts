/** Attributes of holds, of the service and of its fake: each test runs against both. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { HoldfastClient } from '../../../packages/client/src/index.ts';
import { KINDS } from './contract.ts';

describe.each(KINDS)('the attributes of a hold: $kind', ({ start }) => {
  let running: Awaited<ReturnType<typeof start>>;
  let client: HoldfastClient;
  beforeAll(async () => {
    running = await start();
  });
  beforeEach(async () => {
    ({ client } = await running.make());
    await client.register([
      {
        ...{ name: 'phones', capacity: 3, attributes: { hub: '10.0.0.7', Port: '1' } },
        slotAttributes: [{ serial: 'A1', port: '2' }, { serial: 'B2' }],
      },
      { name: 'licence', attributes: { hub: 'other', server: 'lm' } },
    ]);
  });
  afterAll(() => running.stop());

  test('are those of the resource, and over them those of the slot', async () => {
    await using one = await client.reserve('phones');
    expect(one.attributes).toEqual({ hub: '10.0.0.7', serial: 'A1', port: '2' });
    await using two = await client.reserve('phones', { requester: 'other' });
    expect(two.attributes).toEqual({ hub: '10.0.0.7', Port: '1', serial: 'B2' });
    await using none = await client.reserve('plain');
    expect(none.attributes).toEqual({});
  });

  test('of several slots are with each reservation', async () => {
    await using hold = await client.reserve('phones', { count: 2 });
    expect(hold.attributes).toEqual({ hub: '10.0.0.7', Port: '1' });
    expect(hold.reservations).toMatchObject([
      { slots: ['phones_0', 'phones_1'], slotAttributes: [{ serial: 'A1', port: '2' }, { serial: 'B2' }] },
    ]);
  });

  test('of several resources are together, and those of the first where both have them', async () => {
    await using hold = await client.reserve(['licence', 'phones_1']);
    expect(hold.attributes).toEqual({ hub: 'other', server: 'lm', Port: '1', serial: 'B2' });
    expect(hold.reservations[1]?.attributes).toEqual({ hub: '10.0.0.7', Port: '1', serial: 'B2' });
  });

  test('stay with a definition that is registered again without them', async () => {
    const [again] = await client.register([{ name: 'phones', capacity: 1 }]);
    expect(again).toMatchObject({ attributes: { hub: '10.0.0.7', Port: '1' }, slotAttributes: [{ serial: 'A1' }] });
    expect(await client.definitions()).toContainEqual(again);
  });
});
