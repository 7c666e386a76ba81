/**
 * Resources and requesters may have the names of properties that every JavaScript object has.
 */

import { expect, test } from 'vitest';
import { holdfast, useInstance } from '../support/instance.ts';

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

useInstance();

test('results show the slot of a pool of such a name, and of a leaf below it', async () => {
  await holdfast.register(
    ...NAMES.map((name) => ({ name, capacity: 2 })),
    ...NAMES.map((name) => ({ name: `below ${name}`, treePath: name })),
  );
  const reserve = (names: string[]) =>
    holdfast.reserve(...names.map((resource) => ({ resource, requester: '__proto__' })));
  for (const names of [NAMES, NAMES.map((name) => `below ${name}`)])
    for (const status of ['ACQUIRED', 'ALREADY_HAD']) {
      const { body } = await reserve(names);
      expect(body.map((one) => [one.status, Object.entries(one.acquiredSlots ?? {})])).toEqual(
        NAMES.map((name) => [status, [[name, `${name}_0`]]]),
      );
    }
  const { body: held } = await holdfast.active('?requester=__proto__');
  expect(held).toHaveLength(2 * NAMES.length);
  for (const { acquiredSlots } of held) expect(Object.entries(acquiredSlots ?? {})).toHaveLength(1);
  const { body: roots } = await holdfast.tree();
  expect(roots.map(({ name, available }) => [name, available]).sort()).toEqual(NAMES.map((name) => [name, 1]).sort());
});
