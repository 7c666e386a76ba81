/**
 * An instance whose clock stands still, an operator who takes reservations away, and calls of people who have signed
 * in. `useTakingAway` starts and stops it.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { ReserveResult, UnreserveItem, UnreserveResult } from '../../src/contract/reservations.ts';
import type { Role } from '../../src/domain/rights.ts';
import { STEERED_CLOCK, setClock } from './clock.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from './service.ts';
import { type Session, signIn } from './tenancy.ts';

export const OPERATOR = 'op"er\\ator@id.example';
/** When the clock stands still: near the real time, since release tokens say when they were made. */
export let NOW: number;
export let BY_OPERATOR: string;

export let holdfast: Instance;
export let operator: Session;

/** To be called at the top of a test file. */
export function useTakingAway(): void {
  // For each file: other tests' instances end leases by the real clock, and files share this module.
  NOW = Date.now();
  BY_OPERATOR = `taken away by ${OPERATOR} at ${new Date(NOW).toISOString()}`;
  beforeAll(async () => {
    holdfast = await startInstance({
      keys: [makeConfiguredKey(makeTenant(), 'wörk "er"')],
      includes: { 'frame/now': STEERED_CLOCK },
    });
    operator = await as('operator', OPERATOR);
  });
  afterAll(() => holdfast.stop());
  beforeEach(() => setClock(holdfast.redis, holdfast.tenant, NOW));
}

export const as = (role: Role, email: string | null) => signIn(holdfast.redis, holdfast.tenant, { role, email });
export const ask = <Body>(session: Session, call: string, body: unknown) =>
  session.request<Body>(holdfast.url, 'POST', `/api/v1/Reservation/${call}`, body);
export const release = (session: Session, { resource, requester }: Pick<ReserveResult, 'resource' | 'requester'>) =>
  ask<UnreserveResult[]>(session, 'unreserve', [{ resource, requester }]);

export async function hold(requester = 'holder', resource: string = randomUUID()) {
  const [held] = (await holdfast.reserve({ resource, requester })).body;
  if (held?.status !== 'ACQUIRED') throw new Error('not reserved');
  return held;
}

export const renew = (...held: UnreserveItem[]) => holdfast.renew(...held.map((one) => ({ ...one, ttlSeconds: 60 })));

/** Makes a reservation that the operator takes away. */
export async function lose() {
  const held = await hold();
  expect((await release(operator, held)).body).toMatchObject([{ status: 'RELINQUISHED' }]);
  return held;
}
