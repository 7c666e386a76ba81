/**
 * What is believed of what an identity provider says of somebody (docs/specification.md#identity).
 */
import { describe, expect, test } from 'vitest';
import { describe as told } from '../../src/identity/oidc.ts';

describe('an e-mail address counts where its own source says that it is verified', () => {
  test.each([
    ['in the ID token', { email: 'a@x', email_verified: true }, {}, 'a@x'],
    ['in the answer', {}, { email: 'a@x', email_verified: true }, 'a@x'],
    ['as text, as some providers send it', {}, { email: 'a@x', email_verified: 'true' }, 'a@x'],
    ['not at all', { email: 'a@x' }, {}, null],
    ['not verified', { email: 'a@x', email_verified: false }, {}, null],
    ['of another address', { email: 'mallory@x', email_verified: true }, { email: 'root@x' }, null],
    ['of an address that is not there', { email_verified: true }, { email: 'root@x' }, null],
    ['null', { email: null, email_verified: true }, {}, null],
  ])('%s', (_, idToken, info, email) => {
    expect(told(idToken, info).email).toBe(email);
  });
});

describe('what is of another type says nothing', () => {
  test('a name, groups', () => {
    expect(told({ name: null, groups: 'admins' }, { name: 5 })).toEqual({ email: null, name: null, groups: [] });
    expect(told({ name: 'A', groups: ['a'] }, { groups: null })).toMatchObject({ name: 'A', groups: ['a'] });
  });

  test('control characters in a name are left out, and it is cut', () => {
    expect(told({ name: 'A\u0000b' }, {}).name).toBe('Ab');
    expect(told({ name: 'x'.repeat(1000) }, {}).name).toHaveLength(200);
  });
});
