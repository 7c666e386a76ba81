/**
 * Two instances on one database, tenants that trust a real OpenID Connect provider, and the exchange of its JWTs.
 * `useTokens` starts and stops them.
 */
import { afterAll, beforeAll, expect } from 'vitest';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import type { ConfiguredKey } from '../../src/identity/configured.ts';
import { defineScripts, loadScripts } from '../../src/redis/scripts.ts';
import { startProvider, type TestProvider } from './provider.ts';
import { type Instance, startInstance } from './service.ts';
import { databaseEnv, makeStore, type OwnStore, type Session, signIn, storeTenant } from './tenancy.ts';

interface Token {
  token: string;
  tokenType: string;
  expiresIn: number;
  expiresAt: string;
  requester: string;
  issuer: string;
}

export const audienceOf = (tenant: string) => `https://${tenant}.example/api`;
export let store: OwnStore;
export let provider: TestProvider;
export let starter: ConfiguredKey;
export let free: ConfiguredKey;
export let one: Instance;
export let other: Instance;
export let session: Session;

/** To be called at the top of a test file. */
export function useTokens(): void {
  beforeAll(async () => {
    [store, provider] = await Promise.all([makeStore(), startProvider()]);
    defineScripts(store.redis, loadScripts(DEFAULT_TIERS));
    starter = await storeTenant(store, 'Starter');
    free = await storeTenant(store, 'Free');
    const start = () => startInstance({ keys: [starter], env: databaseEnv(store.url) });
    [one, other] = await Promise.all([start(), start()]);
    session = await signIn(store.redis, starter.tenant);
    expect((await trust(session, starter.tenant)).status).toBe(200);
  });
  afterAll(async () => {
    await Promise.all([one.stop(), other.stop(), provider.stop()]);
    await store.close();
  });
}

export const trust = (who: Session, tenant: string) => register(who, audienceOf(tenant));

/** Registers the provider with an audience, for everybody; the id of the registration follows from the audience. */
export const register = (who: Session, audience: string, fields: object = {}) =>
  who.request(one.url, 'PUT', '/api/v1/Tenant/issuers', {
    id: idOf(audience),
    issuer: provider.issuer,
    audience,
    jwksUrl: provider.jwksUrl,
    conditions: {},
    ...fields,
  });
export const unregister = (who: Session, audience: string, at = one) =>
  who.request(at.url, 'DELETE', `/api/v1/Tenant/issuers?id=${idOf(audience)}`);
const idOf = (audience: string) => audience.replace(/[^A-Za-z0-9.-]/g, '_').slice(-64);

export const exchange = (jwt: unknown, at = one, tenant: string | null = starter.tenant, more: object = {}) =>
  at.request<Token & { error: string; upgradeRequired?: boolean }>(
    'POST',
    '/api/v1/auth/token',
    { jwt, ...(tenant === null ? {} : { tenant }), ...more },
    { 'X-Api-Key': '' },
  );

export const tokenFor = async (subject: string) => {
  const { body } = await exchange(await provider.token(subject, audienceOf(starter.tenant)));
  return body.token;
};

/** Calls with a token instead of the key. */
export const withToken =
  (token: string, at = one) =>
  <Body = unknown>(method: string, path: string, body?: unknown) =>
    at.request<Body>(method, path, body, { 'X-Api-Key': token });
