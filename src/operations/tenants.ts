/**
 * Changes that administrators make to any tenant: its tier, its suspension, and a reset
 * (docs/specification.md#tenants-and-administration). The audit trail has each of them. The caller checks that the
 * person is an administrator.
 */
import { asService } from '../domain/tenants.ts';
import type { Tier } from '../domain/tiers.ts';
import * as engineReset from '../engine/reservations/reset.ts';
import type { Store } from '../store/records.ts';
import * as tenants from '../store/tenants.ts';
import type { Actor } from './actor.ts';
import type { OperationDeps } from './deps.ts';

/**
 * Gives a tenant another tier.
 * @throws HoldfastError unknown, unavailable
 */
export async function changeTier(store: Store, by: Actor, id: string, tier: Tier): Promise<tenants.Tenant> {
  await tenants.setTier(store, id, tier, by);
  return tenants.readTenant(store, id);
}

/**
 * Suspends a tenant: its keys are refused and its event streams end.
 * @throws HoldfastError unknown, unavailable
 */
export async function suspend(store: Store, by: Actor, id: string): Promise<tenants.Tenant> {
  await tenants.suspendTenant(store, id, by);
  return tenants.readTenant(store, id);
}

/**
 * Ends a suspension.
 * @throws HoldfastError unknown, unavailable
 */
export async function resume(store: Store, by: Actor, id: string): Promise<tenants.Tenant> {
  await tenants.resumeTenant(store, id, by);
  return tenants.readTenant(store, id);
}

/**
 * Ends all reservations of a tenant.
 * @returns the number of reservations ended
 * @throws HoldfastError unknown, unavailable
 */
export async function resetTenant(
  { engine, trail }: Pick<OperationDeps, 'engine' | 'trail'>,
  store: Store,
  by: Actor,
  id: string,
): Promise<number> {
  await tenants.readTenant(store, id);
  const { result: count } = await engineReset.reset(engine, asService(id), undefined, by.actor);
  trail?.noteBy(by, id, { action: 'tenant.reset', details: { count } });
  return count;
}
