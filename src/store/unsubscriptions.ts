/**
 * Takes addresses out of subscriptions for people who unsubscribe (docs/specification.md#e-mail).
 */
import { and, eq, sql } from 'drizzle-orm';
import { HoldfastError } from '../domain/errors.ts';
import type { Author } from './audit.ts';
import { subscriptions } from './noticesSchema.ts';
import { changeRecord, type Store } from './records.ts';
import type { SubscriptionRow } from './subscriptions.ts';

/**
 * Replaces the addresses of a subscription, if nobody else has meanwhile.
 * @param before the subscription as it was read
 * @param change the new addresses, encrypted; if none is left, it is disabled, too
 * @returns false if they have changed since
 * @throws the errors of changeRecord()
 */
export async function replaceAddresses(
  store: Store,
  tenant: string,
  before: Pick<SubscriptionRow, 'id' | 'label' | 'target'>,
  change: { readonly target: string; readonly enabled?: false },
  by: Author,
): Promise<boolean> {
  const { id, label, target } = before;
  const changed = new HoldfastError('refused', 'The subscription has changed meanwhile.');
  const isSame = and(eq(subscriptions.tenantId, tenant), eq(subscriptions.id, id), eq(subscriptions.target, target));
  try {
    await changeRecord(store, tenant, { ...by, action: 'notice.unsubscribe', details: { id, label } }, async (tx) => {
      const set = { ...change, changedAt: sql`now()` };
      const rows = await tx.update(subscriptions).set(set).where(isSame).returning({ id: subscriptions.id });
      if (rows.length === 0) throw changed;
    });
    return true;
  } catch (error) {
    if (error === changed) return false;
    throw error;
  }
}
