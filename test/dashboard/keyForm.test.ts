/**
 * The form of an API key (docs/specification.md#restricted-keys), and what stands in its place.
 */
import { describe, expect, test } from 'vitest';
import { asKey, KeyForm, NoMoreKeys, typedOf } from '../../src/dashboard/components/keyForm.tsx';
import { DEFAULT_TIERS, type Tier } from '../../src/domain/tiers.ts';

const limits = { permission: 'read', prefix: '', label: null } as const;
const keyOf = (fields: Readonly<Record<string, string>>, expiresAt: Date | null = null) =>
  asKey(KeyForm.parse(fields), { ...limits, expiresAt });

describe('the end of a key', () => {
  test('is never, in some days, or at a time, which is of UTC without scripts', () => {
    expect(keyOf({ ends: '' })).toMatchObject({ expiresAt: null });
    const { expiresAt } = Object(keyOf({ ends: '30', expiresAt: '2026-01-31T12:00' }));
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 30 * 86_400_000)).toBeLessThan(10_000);
    const at = { ends: 'other', expiresAt: '2026-01-31T12:00' };
    expect(keyOf(at)).toMatchObject({ expiresAt: '2026-01-31T12:00:00.000Z' });
    const exact = { ...at, expiresAtExact: '2026-01-31T11:00:00.000Z' };
    expect(keyOf(exact)).toMatchObject({ expiresAt: '2026-01-31T11:00:00.000Z' });
  });

  test('stays as it is to the millisecond if nobody edits it', () => {
    const expiresAt = new Date('2026-01-31T12:00:31.415Z');
    const typed = typedOf({ ...limits, expiresAt });
    expect(asKey(typed, { ...limits, expiresAt })).not.toHaveProperty('expiresAt');
    expect(asKey({ ...typed, expiresAtExact: '' }, { ...limits, expiresAt })).not.toHaveProperty('expiresAt');
    expect(asKey({ ...typed, ends: '' }, { ...limits, expiresAt })).toMatchObject({ expiresAt: null });
    expect(asKey(KeyForm.parse({ label: 'default' }))).not.toHaveProperty('expiresAt');
  });
});

describe('a tier that allows no more keys', () => {
  const said = (tier: Tier, isAdmin = false) =>
    String(NoMoreKeys({ tenant: 'acme', isAdmin, tier, tiers: DEFAULT_TIERS })).replaceAll(/<[^>]+>/g, '');

  test('is said with what to do', () => {
    expect(said('Free')).toContain('Tier Free allows one key, and the default key is that one: it can do everything.');
    expect(said('Free')).toContain(
      'For one that may do less, or ends by itself, ask those who run this service for a higher tier: Starter allows 10, Pro allows 100, Enterprise allows any number.',
    );
    expect(said('Starter', true)).toMatch(
      /Delete one that nobody uses any more\. For another one, give the tenant a higher tier: Pro/,
    );
  });
});
