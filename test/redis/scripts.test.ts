import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, inject, test } from 'vitest';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import { encodeRegistration, encodeStored, type StoredDefinition } from '../../src/engine/definitions/codec.ts';
import { fieldsOf } from '../../src/redis/items.ts';
import { KEYS_OF } from '../../src/redis/keys.ts';
import { LUA_FOLDER } from '../../src/redis/luaFiles.ts';
import { loadScripts } from '../../src/redis/scripts.ts';
import { readNames } from '../support/luaNames.ts';
import { redisAddress } from '../support/redisAddress.ts';

/** The fields in the order in which they are encoded: each changes one argument only. */
const fieldsIn = <Item extends object>(encode: (item: Item) => unknown[], one: Item, other: Item) =>
  encode(one).map((_, at) =>
    Object.keys(one).find((field) => encode({ ...one, [field]: Reflect.get(other, field) })[at] !== encode(one)[at]),
  );
const [one, other] = [
  { name: 'a', capacity: 1, blocks: ['a'], treePath: 'a', group: false, labels: {}, groups: false },
  { name: 'b', capacity: 2, blocks: ['b'], treePath: 'b', group: true, labels: { a: 'b' }, groups: true },
];
const DEFINITION_FIELDS = {
  register: fieldsIn(encodeRegistration, one, other),
  copy: fieldsIn<StoredDefinition>(
    encodeStored,
    { name: 'a', capacity: 1, blocks: ['a'], parent: 'a', isGroup: false, labels: {} },
    { name: 'b', capacity: 2, blocks: ['b'], parent: 'b', isGroup: true, labels: { a: 'b' } },
  ),
};

const scripts = loadScripts(DEFAULT_TIERS);
const source = (name: string) => scripts.find((script) => script.name === name)?.source ?? '';
const headerOf = (name: string) => /^--\[\[([\s\S]*?)\]\]/.exec(source(name))?.[1] ?? '';

describe.each(scripts.map(({ name }) => name))('lua/commands/%s.lua', (name) => {
  const script = scripts.find((one) => one.name === name);
  const lua = script?.lua() ?? '';
  const own = script?.general === undefined ? lua : `local handed\n${script.general()}`;

  test('compiles', async () => {
    const redis = new Redis(redisAddress(inject('redisUrl')));
    await expect(redis.script('LOAD', lua)).resolves.toMatch(/^[0-9a-f]{40}$/);
    redis.disconnect();
  });

  test('it defines every name before it uses it, and uses every name that it defines', () => {
    const { missing, unused } = readNames(own);
    expect(missing).toEqual([]);
    expect(unused).toEqual([]);
  });

  test('its header names just the keys and arguments that its body uses, and what it returns', () => {
    const named = (text: string, what: string) =>
      [...new Set([...text.matchAll(new RegExp(`${what}\\[(\\d+)\\]`, 'g'))].map(([, index]) => Number(index)))].sort();
    const header = headerOf(name);
    const code = own.replace(/--.*$/gm, '');
    expect(named(header, 'KEYS')).toEqual(named(code, 'KEYS'));
    // Items begin at the last argument that the header names.
    const walked = [...code.matchAll(/(?:for i = |readItems\()(\d+), /g)].map(([, first]) => Number(first));
    expect(named(header, 'ARGV')).toEqual([...new Set([...named(code, 'ARGV'), ...walked])].sort());
    expect(header).toMatch(/\n {2}Returns /);
  });

  test('it is passed the keys that its header names', () => {
    const passed: readonly string[] | undefined = Object.entries(KEYS_OF).find(([verb]) => verb === name)?.[1];
    // The others work on keys that are no tenant's.
    if (passed === undefined) expect(['lowerIndex', 'probe', 'raiseIndex']).toContain(name);
    else expect(scripts.find((script) => script.name === name)?.keys).toEqual(passed);
  });
});

describe('lua/lib', () => {
  test('each is included by some script', () => {
    const includes = readdirSync(join(LUA_FOLDER, 'lib'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.lua'))
      .map((file) => file.slice(0, -'.lua'.length));
    const read = (name: string) => readFileSync(join(LUA_FOLDER, 'lib', `${name}.lua`), 'utf8');
    const all = [...scripts.map(({ name }) => source(name)), ...includes.map(read)].join('');
    const isUsed = (name: string) => all.includes(`--@include ${name}\n`) || all.includes(`--@part ${name}\n`);
    expect(includes.filter((name) => !isUsed(name))).toEqual([]);
  });

  test.each(['reserve', 'unreserve', 'renew', 'check', 'cancel', 'register', 'copy'] as const)(
    'items/%s lays out the fields that instances pass',
    (kind) => {
      const lua = readFileSync(join(LUA_FOLDER, 'lib', 'items', `${kind}.lua`), 'utf8');
      const fields = [...lua.matchAll(/^ {4}(\w+) = ARGV\[at(?: \+ (\d+))?\](?:,$| ~= '')/gm)];
      expect(fields.map(([, field]) => field)).toEqual(
        kind === 'register' || kind === 'copy' ? DEFINITION_FIELDS[kind] : fieldsOf(kind),
      );
      expect(fields.map(([, , offset = 0]) => Number(offset))).toEqual(fields.map((_, i) => i));
      expect(lua).toContain(`}, at + ${fields.length}\n`);
    },
  );
});
