/**
 * Changes that administrators make to any tenant: its creation, its tier, its suspension, and a reset
 * (docs/specification.md#tenants-and-administration). The audit trail has each of them. The caller checks that the
 * person is an administrator.
 */
import { asService } from '../domain/tenants.ts';
import type { Tier } from '../domain/tiers.ts';
import * as engineReset from '../engine/reservations/unreserve.ts';
import type { Sealer } from '../identity/credentials.ts';
import type { Store } from '../store/records.ts';
import * as creation from '../store/tenantCreation.ts';
import { readUsedTenant, type UsedTenant } from '../store/tenantList.ts';
import * as tenants from '../store/tenants.ts';
import type { OperationDeps } from './deps.ts';
import { newDefaultKey } from './keys.ts';
import type { Actor } from './permissions.ts';

/**
 * Creates a tenant, and invites its first owner.
 * @returns the tenant, and whether it is new
 * @throws HoldfastError refused if the id is in use by a tenant with other content; unavailable
 */
export async function createTenant(
  { store, sealer }: { readonly store: Store; readonly sealer: Sealer },
  by: Actor,
  tenant: creation.TenantToCreate,
): Promise<{ readonly tenant: UsedTenant; readonly isNew: boolean }> {
  const isNew = await creation.createTenant(store, tenant, () => newDefaultKey(sealer)(tenant.id), by);
  return { tenant: await readUsedTenant(store, tenant.id), isNew };
}

/**
 * Gives a tenant another tier.
 * @throws HoldfastError unknown, unavailable
 */
export async function changeTier(store: Store, by: Actor, id: string, tier: Tier): Promise<UsedTenant> {
  await tenants.setTier(store, id, tier, by);
  return readUsedTenant(store, id);
}

/**
 * Suspends a tenant: its keys are refused and its event streams end.
 * @throws HoldfastError unknown, unavailable
 */
export async function suspend(store: Store, by: Actor, id: string): Promise<UsedTenant> {
  await tenants.suspendTenant(store, id, by);
  return readUsedTenant(store, id);
}

/**
 * Ends a suspension.
 * @throws HoldfastError unknown, unavailable
 */
export async function resume(store: Store, by: Actor, id: string): Promise<UsedTenant> {
  await tenants.resumeTenant(store, id, by);
  return readUsedTenant(store, id);
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
