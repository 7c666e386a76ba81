/** Public issuers, and the fields of a registration (docs/specification.md#registrations-of-issuers). */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PUBLIC_ISSUERS } from '../../src/domain/publicIssuers.ts';
import { faultOf, given } from '../support/newIssuer.ts';

describe('a public issuer', () => {
  test.each(PUBLIC_ISSUERS.filter(({ issuer }) => issuer.startsWith('https:')))(
    '$issuer is in the specification with its ids',
    ({ issuer, ids, hasPaths }) => {
      const paths = hasPaths ? ', and paths below it' : '';
      const row = `| \`${issuer}\`${paths} | ${ids.map((id) => `\`${id}\``).join(', ')} |`;
      expect(readFileSync('docs/specification.md', 'utf8')).toContain(row);
    },
  );

  const all = PUBLIC_ISSUERS.flatMap(({ issuer, ids, hasPaths }) => [
    { issuer, ids },
    ...(hasPaths ? [{ issuer: `${issuer}/acme`, ids }] : []),
  ]);

  test.each(all)('$issuer is registered only with an id that is never used again', ({ issuer, ids }) => {
    const rule = `must have one of ${ids.join(', ')}, without *`;
    expect(faultOf({ issuer })).toContain(rule);
    expect(faultOf({ issuer, conditions: { repository: 'acme/app', ref: 'refs/heads/main' } })).toContain(rule);
    for (const id of ids) {
      expect(faultOf({ issuer, conditions: { [id]: '4711' } })).toBe('none');
      expect(faultOf({ issuer, conditions: { [id]: ['1', '2'] } })).toBe('none');
      expect(faultOf({ issuer, conditions: { [id]: ['4711', '47/*'] } })).toContain(rule);
      expect(faultOf({ issuer, conditions: { [id.toUpperCase()]: '4711' } })).toContain(rule);
    }
  });

  test('is meant exactly: others that look like it may be anybody’s own', () => {
    for (const issuer of ['https://gitlab.com.acme.example', 'https://gitlab.com/', 'https://gitlab.acme.example'])
      expect(faultOf({ issuer })).toBe('none');
  });
});

describe('the fields of a registration', () => {
  test('have defaults that allow little', () => {
    const defaults = { permission: 'reserve', prefix: '', maxPriority: 0, requester: '{sub}', instances: false };
    expect(given({}).data).toMatchObject(defaults);
  });

  test.each([
    [{ maxPriority: -1 }, 'must be an integer from 0 to 100'],
    [{ maxPriority: 101 }, 'must be an integer from 0 to 100'],
    [{ permission: 'full' }, 'must be one of read, reserve'],
    [{ id: 'a b' }, 'must be 1 to 64 letters'],
    [{ audience: '' }, 'must'],
  ])('%j is refused', (fields, fault) => {
    expect(faultOf(fields)).toContain(fault);
  });
});
