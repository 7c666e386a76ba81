import { Redis } from 'ioredis';
import { describe, expect, inject, test } from 'vitest';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import {
  encodeRegistration,
  encodeStored,
  type StoredDefinition,
  toStored,
} from '../../src/engine/definitions/codec.ts';
import { readModules, withoutComments } from '../../src/redis/bundle.ts';
import { fieldsOf } from '../../src/redis/layouts.ts';
import { loadScripts } from '../../src/redis/scripts.ts';
import { VERBS } from '../../src/redis/verbs.ts';
import { redisAddress } from '../support/redisAddress.ts';

/** The fields in the order in which they are encoded: each changes one argument only. */
const fieldsIn = <Item extends object>(encode: (item: Item) => unknown[], one: Item, other: Item) =>
  encode(one).map((_, at) =>
    Object.keys(one).find((field) => encode({ ...one, [field]: Reflect.get(other, field) })[at] !== encode(one)[at]),
  );
const [one, other] = [
  {
    name: 'a',
    capacity: 1,
    blocks: ['a'],
    treePath: 'a',
    group: false,
    labels: {},
    groups: false,
    afterUse: 'ready' as const,
    attributes: {},
    slotAttributes: [],
    bookable: false,
  },
  {
    name: 'b',
    capacity: 2,
    blocks: ['b'],
    treePath: 'b',
    group: true,
    labels: { a: 'b' },
    groups: true,
    afterUse: 'dirty' as const,
    attributes: { a: 'b' },
    slotAttributes: [{}],
    bookable: true,
  },
];
const DEFINITION_FIELDS = {
  register: fieldsIn(encodeRegistration, one, other),
  copy: fieldsIn<StoredDefinition>(
    encodeStored,
    toStored({ name: 'a', capacity: 1, blocks: ['a'], treePath: 'a' }),
    toStored({
      name: 'b',
      capacity: 2,
      blocks: ['b'],
      treePath: 'b',
      group: true,
      labels: { a: 'b' },
      afterUse: 'dirty',
      attributes: { a: 'b' },
      slotAttributes: [{}],
      bookable: true,
    }),
  ),
};

const ITEMS = readModules().get('frame/items') ?? '';
const scripts = loadScripts(DEFAULT_TIERS);
/** Verb → its header and what follows, as it is written. */
const SOURCES = new Map(
  [...readModules()]
    .filter(([module]) => module.startsWith('verbs/'))
    .flatMap(([, lua]) => lua.split(/^(?=--\[\[ )/m))
    .map((text) => [/^--\[\[ (\w+)/.exec(text)?.[1], text]),
);
const source = (name: string) => SOURCES.get(name) ?? '';
const headerOf = (name: string) => /^--\[\[([\s\S]*?)\]\]/.exec(source(name))?.[1] ?? '';

/** The names of the modules that a text requires. */
const requiredBy = (lua: string) => [...lua.matchAll(/\brequire\('([\w/]+)'\)/g)].map(([, name = '']) => name);

test('Redis compiles the library, and the script of each verb', async () => {
  const redis = new Redis(redisAddress(inject('redisUrl')));
  const library = scripts[0]?.library();
  await redis.function('LOAD', 'REPLACE', library?.lua ?? '');
  for (const { lua } of scripts) await expect(redis.script('LOAD', lua())).resolves.toMatch(/^[0-9a-f]{40}$/);
  redis.disconnect();
});

test('each module is needed by some verb', () => {
  const modules = readModules();
  const found = new Set([...modules.keys()].filter((name) => /^verbs\/|^plain\/(un)?reserve$/.test(name)));
  found.add('frame/run');
  for (const name of found) for (const other of requiredBy(modules.get(name) ?? '')) found.add(other);
  expect([...modules.keys()].filter((name) => !found.has(name))).toEqual([]);
});

test('each module has the fields that it and others use of it', () => {
  const modules = new Map([...readModules()].map(([name, lua]) => [name, withoutComments(lua)]));
  const missing = [...modules].flatMap(([name, lua]) =>
    [
      ...[...lua.matchAll(/^local (\w+) = require\('([\w/]+)'\)$/gm)].map(([, alias = '', of = '']) => [alias, of]),
      ...[...lua.matchAll(/\nreturn (\w+)\s*$/g)].map(([, own = '']) => [own, name]),
    ].flatMap(([alias = '', of = '']) => {
      const other = modules.get(of) ?? '';
      const own = /\nreturn (\w+)\s*$/.exec(other)?.[1];
      // These get their fields in each call.
      if (own === undefined || of === 'frame/tenant') return [];
      const used = new Set(
        [...lua.matchAll(new RegExp(`(?<![.\\w'])${alias}\\.(\\w+)`, 'g'))].map(([, field]) => field),
      );
      return [...used]
        .filter(
          (field) =>
            !new RegExp(`(?<![.\\w])${own}\\.${field}\\b(,[\\w., \\n]+)? =(?!=)|function ${own}\\.${field}\\b`).test(
              other,
            ),
        )
        .map((field) => `${name}: ${of}.${field}`);
    }),
  );
  expect(missing).toEqual([]);
});

describe.each(scripts.map(({ name }) => name))('the verb %s', (name) => {
  test('has a header that names the arguments which its body uses, and what it returns', () => {
    const header = headerOf(name);
    const code = source(name).slice(header.length);
    const named = [...header.matchAll(/(?:^ {2}|[(,] ?)ARGV\[(\d+)\]/gm)].map(([, index]) => Number(index));
    // Items begin at the last argument that the header names.
    const used = [...code.matchAll(/\bargs\[(\d+)\]|(?:for i = |readItems\(|\w(?:Item|Arg) = )(\d+)\b/g)];
    expect(used.map(([, index, first]) => Number(index ?? first)).filter((index) => !named.includes(index))).toEqual(
      [],
    );
    expect(named).toEqual(named.map((_, i) => i + 1));
    expect(header).toMatch(/\n {2}Returns /);
  });
});

test('src/redis/verbs.ts has a row for each verb of lua/verbs', () => {
  expect(scripts.map(({ name }) => name).sort()).toEqual(Object.keys(VERBS).sort());
});

describe('lua/frame/items.lua', () => {
  test.each(['reserve', 'unreserve', 'renew', 'check', 'cancel', 'setCondition', 'out', 'register', 'copy'] as const)(
    'lays out the fields of an item to %s as instances pass them',
    (kind) => {
      const reader =
        { cancel: 'checkItem', copy: 'copiedItem', setCondition: 'conditionItem' }[kind as string] ?? `${kind}Item`;
      const lua = ITEMS.split(/^end$/m).find((text) => text.includes(`function itemForms.${reader}(at)`)) ?? '';
      const fields = [...lua.matchAll(/(\w+) = (?:tonumber\()?args\[at(?: \+ (\d+))?\]/g)];
      // These are passed as one.
      const [, terms, termsAt] = /local ([\w, ]+) = termsOf\(args\[at \+ (\d+)\]\)/.exec(lua) ?? [];
      expect([...fields.map(([, field]) => field), ...(terms?.split(', ') ?? [])]).toEqual(
        kind === 'register' || kind === 'copy' ? DEFINITION_FIELDS[kind] : fieldsOf(kind),
      );
      const places = [...fields.map(([, , offset = 0]) => Number(offset)), ...(termsAt ? [Number(termsAt)] : [])];
      expect(places).toEqual(places.map((_, i) => i));
      expect(lua).toContain(`, at + ${places.length}\n`);
    },
  );
});
