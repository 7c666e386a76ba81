import { describe, expect, test } from 'vitest';
import { isThisMachine } from '../../src/config/formats.ts';

const hostOf = (url: string) => new URL(url).hostname;

describe('an address is on this machine', () => {
  test.each([
    'http://localhost:1',
    'http://127.0.0.1',
    'http://127.0.0.2:1',
    'http://[::1]:1',
    'http://id.localhost:5556',
  ])('%s', (url) => {
    expect(isThisMachine(hostOf(url))).toBe(true);
  });

  test.each([
    'http://example.com',
    'http://localhost.example.com',
    'http://notlocalhost',
    'http://127.0.0.1.example.com',
  ])('unlike %s', (url) => {
    expect(isThisMachine(hostOf(url))).toBe(false);
  });
});
