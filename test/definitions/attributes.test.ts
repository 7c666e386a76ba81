/**
 * Attributes, `afterUse` and `bookable` are in the database, and Redis has them from there
 * (docs/specification.md#store-modes-and-start, #attributes).
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { changeInDatabase } from '../../src/definitions/changeInDatabase.ts';
import type { Credential } from '../../src/domain/tenants.ts';
import type { StoredDefinition } from '../../src/engine/definitions/codec.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { digestOf } from '../../src/identity/credentials.ts';
import { definitions as rows } from '../../src/store/schema.ts';
import { forget } from '../support/hotRecord.ts';
import { allDefinitions } from '../support/listed.ts';
import { engineOn, makeStore, type OwnStore, storeTenant } from '../support/tenancy.ts';
import { reserve } from '../support/verbs.ts';

let store: OwnStore;
let engine: Engine;
let credential: Credential;
let changes: ReturnType<typeof changeInDatabase>;
beforeAll(async () => {
  store = await makeStore();
  ({ engine, changes } = engineOn(store));
  const { tenant, key } = await storeTenant(store);
  credential = { tenant, credentialKey: digestOf(key), kind: 'key' };
});
afterAll(() => store.close());

const phones = {
  ...{ name: 'phones', capacity: 3, blocks: [], treePath: null, afterUse: 'dirty' as const, bookable: true },
  attributes: { long: 'v', b: '"\n\\ é🎉' },
  slotAttributes: [{ serial: 'A1' }, {}, { z: '', a: '\u0001' }],
};
const bare = { name: 'phones', capacity: 3, blocks: [], treePath: null };

/** Checks that the database has a definition, and Redis too: what it has, and what it gets when it has lost that. */
async function expectBoth({ treePath: _, ...stored }: Partial<StoredDefinition> & { treePath: null }) {
  expect(await store.database.run((db) => db.select().from(rows))).toMatchObject([stored]);
  for (const isLost of [false, true]) {
    if (isLost) await forget(store.redis, credential.tenant);
    const [listed] = await allDefinitions(engine, credential);
    const { afterUse = 'ready', attributes = {}, slotAttributes = [], bookable = false } = listed ?? {};
    expect({ ...listed, afterUse, attributes, slotAttributes, bookable }).toMatchObject(stored);
  }
}

test('what is registered is in both, also what a later registration leaves as it is', async () => {
  await changes.register(credential, [phones]);
  await expectBoth(phones);
  expect((await changes.register(credential, [bare])).result).toEqual([phones]);
  await expectBoth(phones);
});

test('what is changed, dropped or removed is so in both', async () => {
  await changes.register(credential, [phones]);
  await changes.register(credential, [{ ...bare, capacity: 2, attributes: {} }]);
  const slotAttributes = [{ serial: 'A1' }, {}];
  await expectBoth({ ...bare, capacity: 2, afterUse: 'dirty', attributes: {}, slotAttributes });
  await changes.register(credential, [{ ...bare, afterUse: 'ready', attributes: { k: 'v' }, slotAttributes: [] }]);
  await expectBoth({ ...bare, afterUse: 'ready', attributes: { k: 'v' }, slotAttributes: [] });
});

test('a hold gets them when Redis has lost its data', async () => {
  await changes.register(credential, [{ ...phones, afterUse: 'ready' }]);
  await forget(store.redis, credential.tenant);
  const [made] = await reserve(engine, credential, [{ resource: 'phones_2', requester: 'r' }]);
  expect(made?.attributes).toEqual({ ...phones.attributes, ...phones.slotAttributes[2] });
});
