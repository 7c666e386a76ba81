/**
 * What the worker reads and changes of subscriptions (docs/specification.md#subscriptions).
 */
import { HoldfastError } from '../domain/errors.ts';
import type { DisabledReason, OpenedSubscription } from '../domain/notices.ts';
import type { TierTable } from '../domain/tiers.ts';
import type { Sealer } from '../identity/credentials.ts';
import type { Store } from '../store/records.ts';
import * as store from '../store/subscriptions.ts';
import { openSubscription } from './sealedSubscriptions.ts';

export interface DeliverableDeps {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly tiers: TierTable;
}

/** The actor of the audit trail, if nobody asked for a change. */
const SERVICE = { actor: 'service', address: null };

/**
 * Reads the subscriptions of a tenant that get events: the enabled ones that the tier allows, and that can be
 * decrypted.
 * @returns null: nothing is sent now, since the tenant is suspended or gone
 * @throws HoldfastError unavailable
 */
export async function workingSubscriptions(
  deps: DeliverableDeps,
  tenant: string,
): Promise<readonly OpenedSubscription[] | null> {
  const of = await store.readSubscriptions(deps.store, tenant);
  if (of === null || of.isSuspended) return null;
  const within = store.withinLimit(of, deps.tiers);
  const opened = await Promise.all(
    of.rows.filter(({ id }) => within.has(id)).map((row) => openSubscription(deps.sealer, tenant, row)),
  );
  return opened.filter((subscription) => subscription !== null);
}

/**
 * Disables a subscription, whose types scripts keep no longer when this returns. Does nothing if somebody else has
 * disabled or deleted it.
 * @throws HoldfastError unavailable
 */
export async function disableSubscription(
  deps: Pick<DeliverableDeps, 'store'>,
  tenant: string,
  id: string,
  reason: DisabledReason,
): Promise<void> {
  try {
    await store.disableSubscription(deps.store, tenant, id, reason, SERVICE);
  } catch (error) {
    if (!(error instanceof HoldfastError && error.code === 'unknown')) throw error;
  }
}
