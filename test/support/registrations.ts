/**
 * Registrations of the provider of tokens.ts, and the exchange of its JWTs by them. To be used with useTokens().
 */
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Session } from './tenancy.ts';
import { exchange as exchangeAt, one, provider, register as registerIssuer, session, starter } from './tokens.ts';

export const RESERVE = '/api/v1/Reservation/reserve';
/** An audience that nothing else has registered, so that its registrations are alone. */
export const freshAudience = () => `https://${randomBytes(6).toString('hex')}.example/api`;
export const freshId = () => randomBytes(6).toString('hex');

export const register = async (audience: string, fields: object, by: Session = session) => {
  const { status, body } = await registerIssuer(by, audience, fields);
  expect([status, body]).toEqual([200, expect.anything()]);
};
export const exchange = (jwt: string, more: object = {}, at = one) => exchangeAt(jwt, at, starter.tenant, more);
export const jwtOf = (audience: string, claims: Record<string, unknown> = {}, subject = 'ci') =>
  provider.token(subject, audience, claims);

/** Registers the provider and exchanges one of its JWTs. */
export async function issued(fields: object, claims: Record<string, unknown> = {}, more: object = {}) {
  const audience = freshAudience();
  await register(audience, fields);
  const { status, body } = await exchange(await jwtOf(audience, claims), more);
  expect([status, body.error]).toEqual([200, undefined]);
  return body;
}
