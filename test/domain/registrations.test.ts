/**
 * Conditions on claims, and requesters that are made of claims (docs/specification.md#registrations-of-issuers).
 * A person who signs in at an issuer chooses many of the claims: these are attacks with them.
 */
import { describe, expect, test } from 'vitest';
import { type Conditions, requesterOf, unmetBy } from '../../src/domain/registrations.ts';
import { faultOf } from '../support/newIssuer.ts';

/** Claims as a JWT has them: JSON, with names that are special to JavaScript. */
const claimsIn = (json: string): Record<string, unknown> => JSON.parse(json);

describe('a claim that meets its condition', () => {
  test.each<[string, Conditions, string]>([
    ['is a string', { a: 'x' }, '{"a": "x"}'],
    ['is one of several values', { a: ['w', 'x'] }, '{"a": "x"}'],
    ['is a number', { id: '4711' }, '{"id": 4711}'],
    ['is a number in another form', { id: '100' }, '{"id": 1e2}'],
    ['is a boolean', { isProtected: 'true' }, '{"isProtected": true}'],
    ['has it among its elements', { groups: 'b' }, '{"groups": ["a", "b"]}'],
    ['has it among elements of other types', { groups: '7' }, '{"groups": [{}, [], null, "x", 7]}'],
    ['begins as a * says, after /', { ref: 'refs/heads/release/*' }, '{"ref": "refs/heads/release/1.2/x"}'],
    ['begins as a * says, after :', { sub: 'repo:*' }, '{"sub": "repo:acme/app"}'],
    [
      'begins as a * says, in any script',
      { ref: 'zweig/größe/*' },
      '{"ref": "zweig/gr\\u00f6\\u00dfe/\\ud83d\\ude80"}',
    ],
    ['is a fraction', { v: '1.5' }, '{"v": 1.50}'],
    ['is 0 with a sign', { v: '0' }, '{"v": -0}'],
    ['is one of many', { a: 'x', b: 'y' }, '{"a": "x", "b": "y", "c": "z"}'],
    ['has the name of something that every object has', { constructor: 'x' }, '{"constructor": "x"}'],
  ])('%s', (_, conditions, claims) => {
    expect(unmetBy(conditions, claimsIn(claims))).toEqual([]);
  });

  test('no conditions: everybody meets them', () => {
    expect(unmetBy({}, claimsIn('{}'))).toEqual([]);
  });
});

describe('an attack on a condition fails:', () => {
  test.each<[string, Conditions, string]>([
    ['a claim that is missing', { a: 'x' }, '{}'],
    ['one that is empty', { a: 'x' }, '{"a": ""}'],
    ['one that is null', { a: 'null' }, '{"a": null}'],
    ['an object', { a: '[object Object]' }, '{"a": {}}'],
    ['an object with the value in it', { a: 'x' }, '{"a": {"x": "x", "toString": "x"}}'],
    ['a claim within another', { 'a.b': 'x' }, '{"a": {"b": "x"}}'],
    ['an empty array', { a: '' }, '{"a": []}'],
    ['an array of nothing but nothing', { a: 'null' }, '{"a": [null, {}, []]}'],
    ['an array whose parts make the value', { a: 'ab' }, '{"a": ["a", "b"]}'],
    ['an array with a neighbour of a *', { sub: 'repo:acme/*' }, '{"sub": ["repo:acme", "repo:acmex/app"]}'],
    ['an object that would turn itself into the value', { a: 'x' }, '{"a": {"toJSON": "x", "valueOf": "x"}}'],
    ['an invisible character in it', { a: 'acme/app' }, '{"a": "acme/\\u200bapp"}'],
    ['letters of full width', { a: 'main' }, '{"a": "\\uff4d\\uff41\\uff49\\uff4e"}'],
    ['a slash that looks like one', { ref: 'refs/heads/*' }, '{"ref": "refs\\u2215heads/main"}'],
    ['a * without its /', { ref: 'refs/heads/*' }, '{"ref": "refs/heads"}'],
    ['an array within an array', { a: 'x' }, '{"a": [["x"]]}'],
    ['an array as one text', { a: 'x,y' }, '{"a": ["x", "y"]}'],
    ['an object within an array', { a: 'x' }, '{"a": [{"a": "x"}]}'],
    ['the JSON of a string', { a: '"x"' }, '{"a": "x"}'],
    ['a string with spaces', { a: 'x' }, '{"a": " x "}'],
    ['capitals', { a: 'x' }, '{"a": "X"}'],
    ['a longer text', { a: 'x' }, '{"a": "xx"}'],
    ['a line after it', { a: 'x' }, '{"a": "x\\n"}'],
    ['a NUL after it', { a: 'x' }, '{"a": "x\\u0000"}'],
    ['the same letters, composed otherwise', { a: 'caf\u00e9' }, '{"a": "cafe\\u0301"}'],
    ['letters that look alike', { repository: 'acme/app' }, '{"repository": "\\u0430cme/app"}'],
    ['a lone surrogate', { a: '\ufffd' }, '{"a": "\\ud800"}'],
    ['a * in the claim', { ref: 'refs/heads/main' }, '{"ref": "refs/heads/*"}'],
    ['a * in the claim, which the condition has', { ref: 'refs/heads/release/*' }, '{"ref": "refs/heads/*"}'],
    ['a neighbour of a *', { sub: 'repo:acme/*' }, '{"sub": "repo:acme-evil/app"}'],
    ['a text within another one', { sub: 'repo:acme/*' }, '{"sub": "x:repo:acme/app"}'],
    ['a number that is another one', { id: '4711' }, '{"id": 47110}'],
    ['a number that is no longer exact', { id: '9007199254740992' }, '{"id": 9007199254740993}'],
    ['an infinite number', { id: 'null' }, '{"id": 1e999}'],
    ['an infinite number by its name', { id: 'Infinity' }, '{"id": 1e999}'],
    ['a number with zeros, as a string', { id: '7' }, '{"id": "07"}'],
    ['1 for true', { a: 'true' }, '{"a": 1}'],
    ['another claim in its place', { repository_id: '7' }, '{"repository": "7", "Repository_id": "7"}'],
    ['what every object has', { constructor: 'x' }, '{}'],
    ['what every object has, by its text', { toString: 'function toString() { [native code] }' }, '{}'],
    ['a prototype with the claim', { a: 'x' }, '{"__proto__": {"a": "x"}}'],
    ['one of two claims', { a: 'x', b: 'y' }, '{"a": "x", "b": "x"}'],
  ])('%s', (_, conditions, claims) => {
    expect(unmetBy(conditions, claimsIn(claims))).not.toEqual([]);
  });

  test('it is told which claims do not match', () => {
    expect(unmetBy({ a: 'x', b: 'y', c: 'z' }, { a: 'x', b: 'n' })).toEqual(['b', 'c']);
  });
});

describe('conditions are refused', () => {
  const rule = 'must have * only at its end, after / or :';
  test.each<[string, unknown, string]>([
    ['that are missing', undefined, 'is required'],
    ['that are null', null, 'must be an object'],
    ['that are a list', [{ a: 'x' }], 'must be an object'],
    ['with a number', { a: 5 }, 'must be a string, or an array of 1 to 32 strings'],
    ['with nothing', { a: null }, 'must be a string, or an array of 1 to 32 strings'],
    ['with no values', { a: [] }, 'must be a string, or an array of 1 to 32 strings'],
    ['with an empty value', { a: '' }, 'must be 1 to 256 characters long'],
    ['with 33 values', { a: Array.from({ length: 33 }, String) }, 'must be a string, or an array of 1 to 32 strings'],
    ['on 17 claims', Object.fromEntries(Array.from({ length: 17 }, (_, i) => [i, 'x'])), 'must have at most 16 claims'],
    ['longer than a JWT', { a: Array.from({ length: 32 }, () => 'x'.repeat(256)) }, 'must be at most 8192 characters'],
    ['on a claim without a name', { '': 'x' }, 'must have names of claims of 1 to 256 characters'],
    ['that JavaScript would lose', JSON.parse('{"__proto__": "x"}'), 'must have no __proto__'],
    ['with * alone', { a: '*' }, rule],
    ['with * after a letter', { sub: 'repo:acme*' }, rule],
    ['with * after -', { sub: 'acme-*' }, rule],
    ['with * in the middle', { ref: 'refs/*/main' }, rule],
    ['with * at the beginning', { ref: '*/main' }, rule],
    ['with two *', { ref: 'refs/**' }, rule],
    ['with * twice', { ref: 'refs/*/*' }, rule],
    ['with * and a space', { ref: 'refs/* ' }, rule],
    ['with * in one of several values', { ref: ['refs/heads/main', 'main*'] }, rule],
    ['with a control character', { a: 'x\u0000' }, 'must not contain control characters'],
    ['that are not well-formed', { a: '\ud800' }, 'must be well-formed Unicode'],
  ])('%s', (_, conditions, fault) => {
    expect(faultOf({ conditions })).toContain(fault);
  });
});

describe('a template of requesters', () => {
  test.each([
    ['{sub}'],
    ['k8s/{sub}'],
    ['{repository}#{run_id}'],
    ['{a} {b}'],
    ['{https://acme.example/team}'],
    ['ci/{a}/#/{b}…{c}'],
  ])('may be %s', (requester) => {
    expect(faultOf({ requester })).toBe('none');
  });

  test.each([
    ['', 'must be 1 to 256 characters long'],
    ['deploy', 'must have a claim, such as {sub}'],
    ['{}', 'must have { and } only around'],
    ['{sub', 'must have { and } only around'],
    ['sub}', 'must have { and } only around'],
    ['{{sub}}', 'must have { and } only around'],
    ['{a}{b}', 'between two claims'],
    ['{a}-{b}', 'between two claims'],
    ['{a}/x:9@._{b}', 'between two claims'],
    ['{a}%23{b}', 'between two claims'],
    ['{a}#{b}{c}', 'between two claims'],
    ['person:{sub}', 'must not start with person:'],
    ['system:{sub}', 'must not start with system:'],
    ['key:{sub}', 'must not start with key:'],
    ['{sub}\u0000', 'must not contain control characters'],
  ])('may not be %j', (requester, fault) => {
    expect(faultOf({ requester })).toContain(fault);
  });
});

describe('the requester of a JWT', () => {
  const made = (template: string, claims: string, instance?: string) => {
    const done = requesterOf(template, claimsIn(claims), instance);
    return 'requester' in done ? done.requester : `fault: ${done.fault}`;
  };

  test.each([
    ['one claim alone, as it is', '{sub}', '{"sub": "ann@acme.example, Ann ✓"}', 'ann@acme.example, Ann ✓'],
    ['several', '{repository}#{run_id}', '{"repository": "acme/app", "run_id": 12}', 'acme/app#12'],
    [
      'a claim in a text',
      'k8s/{sub}',
      '{"sub": "system:serviceaccount:ci:runner"}',
      'k8s/system:serviceaccount:ci:runner',
    ],
    ['a boolean', 'p/{a}', '{"a": false}', 'p/false'],
    ['other characters, encoded', 'x/{a}', '{"a": "a b#é%✓"}', 'x/a%20b%23%C3%A9%25%E2%9C%93'],
  ])('is made of %s', (_, template, claims, requester) => {
    expect(made(template, claims)).toBe(requester);
    expect(made(template, claims, 'k3v9x0q2mwd7')).toBe(`${requester}.k3v9x0q2mwd7`);
  });

  test.each([
    ['a claim that is missing', '{sub}', '{}'],
    ['an empty one', '{sub}', '{"sub": ""}'],
    ['an empty one of several', '{a}#{b}', '{"a": "x", "b": ""}'],
    ['null', '{sub}', '{"sub": null}'],
    ['an array', '{sub}', '{"sub": ["ann"]}'],
    ['an object', '{sub}', '{"sub": {"a": "ann"}}'],
    ['a number that is not exact', '{id}', '{"id": 12345678901234567890}'],
    ['what every object has', '{constructor}', '{}'],
    ['a prototype', '{a}', '{"__proto__": {"a": "x"}}'],
    ['a text that is not well-formed', '{sub}', '{"sub": "\\ud800"}'],
    ['a text that is not well-formed, encoded', 'x/{sub}', '{"sub": "\\ud800"}'],
    ['a control character', '{sub}', '{"sub": "a\\nb"}'],
    ['more than 256 characters', '{sub}', `{"sub": "${'x'.repeat(257)}"}`],
    ['more than 256 characters once encoded', 'x/{sub}', `{"sub": "${'é'.repeat(50)}"}`],
    ['the name of a person', '{sub}', '{"sub": "person:ann@acme.example"}'],
    ['the name of the service', '{sub}', '{"sub": "system:Ink"}'],
    ['the name of a key', '{sub}', '{"sub": "key:ci"}'],
    ['the name of an administrator', '{sub}', '{"sub": "admin:root"}'],
    ['the name of a management token', '{sub}', '{"sub": "token:terraform"}'],
    ['the name of a person in two parts', 'person{a}', '{"a": ":ann@acme.example"}'],
    ['the name of a person by a claim in a text', '{kind}#{sub}', '{"kind": "person:x", "sub": "ann"}'],
  ])('is never made of %s', (_, template, claims) => {
    expect(made(template, claims)).toMatch(/^fault: /);
  });

  test('with its instance has at most 256 characters', () => {
    const claims = `{"sub": "${'x'.repeat(245)}"}`;
    expect(made('{sub}', claims, 'a'.repeat(10))).toHaveLength(256);
    expect(made('{sub}', claims, 'a'.repeat(11))).toMatch(/^fault: /);
  });

  test('is never that of other claims', () => {
    // Everything that could take the place of a separator, its encoding, an instance or another claim.
    const texts = [
      'a',
      '#',
      'a#',
      '#a',
      'a#b',
      '%',
      '%23',
      'a%23',
      '.',
      'a.abcdefghij',
      '/',
      ':',
      'é',
      ' ',
      '-',
      '--#',
      '@',
    ];
    for (const template of ['{a}#{b}', 'x/{a}--#{b}', '{a}/ /{b}', '{a}é{b}/'])
      for (const instance of [undefined, 'abcdefghij']) {
        const from = new Map<string, string>();
        for (const a of texts)
          for (const b of texts) {
            const claims = JSON.stringify({ a, b });
            const requester = made(template, claims, instance);
            expect([requester, from.get(requester) ?? claims]).toEqual([requester, claims]);
            from.set(requester, claims);
          }
      }
  });

  test('with one instance is never that of another', () => {
    expect(made('{sub}', '{"sub": "a.aaaaaaaaaa"}', 'bbbbbbbbbb')).not.toBe(
      made('{sub}', '{"sub": "a"}', 'aaaaaaaaaa'),
    );
  });
});
