/**
 * The stored form of tokens: 22 characters for the 16 bytes of a UUID.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { madeAtMs, newReleaseToken, packToken, unpackToken } from '../../src/engine/reservations/releaseToken.ts';

const TOKENS = [
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  ...Array.from({ length: 1000 }, () => randomUUID()),
];

describe('The stored form of a token', () => {
  test('is its bytes as base64url, and leads back to it', () => {
    for (const token of TOKENS) {
      const packed = Buffer.from(token.replaceAll('-', ''), 'hex').toString('base64url');
      expect([packToken(token), packToken(token.toUpperCase()), unpackToken(packed)]).toEqual([packed, packed, token]);
    }
  });

  test("is '' if the text is no UUID", () => {
    const [token = ''] = TOKENS;
    for (const text of ['', 'x', token.slice(1), `${token}0`, token.replace('-', '0'), token.replace('0', 'g')])
      expect(packToken(text)).toBe('');
  });

  test('of a new release token is that of a UUID of version 7, which says when it was made', () => {
    const before = Date.now();
    const tokens = TOKENS.map(() => unpackToken(newReleaseToken()));
    expect(new Set(tokens).size).toBe(tokens.length);
    for (const token of tokens) {
      expect(token).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(madeAtMs(token) - before).toBeLessThan(60_000);
      expect(madeAtMs(token)).toBeGreaterThanOrEqual(before);
    }
  });
});
