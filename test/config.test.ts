import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../src/config.ts';
import { DEFAULT_TIERS } from '../src/domain/tiers.ts';
import { makeKey } from '../src/identity/credentials.ts';

const REDIS_URL = 'redis://localhost';
const key = makeKey('acme');
const faults = (env: Record<string, string>) => {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return error instanceof Error ? error.message : '';
  }
  return '';
};

describe('configuration', () => {
  test('has a default for all but REDIS_URL', () => {
    expect(readConfig({ REDIS_URL })).toEqual({
      host: '127.0.0.1',
      port: undefined,
      role: 'all',
      redisUrl: REDIS_URL,
      apiKeys: undefined,
      logLevel: 'info',
      sweepIntervalMs: 1000,
      reconcileIntervalMs: 300_000,
      tiers: DEFAULT_TIERS,
      trustedProxies: 0,
      maxFailedAuthentications: 100,
      sizes: {
        nameLength: 256,
        typeLength: 64,
        ttlSeconds: 31_536_000,
        batch: 500,
        capacity: 100_000,
        blocks: 64,
        treeDepth: 16,
        bodyBytes: 1_048_576,
      },
    });
  });

  test('names every fault at once, on one line', () => {
    const message = faults({ PORT: '99999', ROLE: 'boss', MAX_BATCH: '5000' });
    for (const name of ['PORT', 'ROLE', 'MAX_BATCH', 'REDIS_URL']) expect(message).toContain(name);
    expect(message).not.toContain('\n');
  });

  test('takes API_KEYS as JSON', () => {
    const keys = [{ key, tenant: 'acme', tier: 'Pro', label: 'worker' }];
    expect(readConfig({ REDIS_URL, API_KEYS: JSON.stringify(keys) }).apiKeys).toEqual(keys);
  });

  test.each<[string, unknown, string]>([
    ['no JSON', '{', 'API_KEYS must be JSON'],
    ['an unknown tier', [{ key, tenant: 'acme', tier: 'Gold' }], 'API_KEYS.0.tier'],
    ['a key of another tenant', [{ key, tenant: 'other', tier: 'Pro' }], 'API_KEYS.0.key must name the same tenant'],
    ['a short key', [{ key: 'hf_acme_short', tenant: 'acme', tier: 'Pro' }], 'API_KEYS.0.key must be hf_<tenant id>'],
    ['a key twice', Array(2).fill({ key, tenant: 'acme', tier: 'Pro' }), 'API_KEYS must not hold a key twice'],
    [
      'two tiers of a tenant',
      [
        { key, tenant: 'acme', tier: 'Pro' },
        { key: makeKey('acme'), tenant: 'acme', tier: 'Free' },
      ],
      'API_KEYS must give all keys of a tenant the same tier',
    ],
  ])('refuses API_KEYS with %s, and never repeats a key', (_, value, fault) => {
    const message = faults({ REDIS_URL, API_KEYS: typeof value === 'string' ? value : JSON.stringify(value) });
    expect(message).toContain(fault);
    expect(message).not.toContain(key);
  });

  test('refuses a DATABASE_URL that it would not honour', () => {
    expect(faults({ REDIS_URL, DATABASE_URL: 'postgres://x' })).toContain('DATABASE_URL is not supported yet');
  });
});
