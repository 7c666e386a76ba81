/**
 * The cursor of personal notices in a tenant's outbox (docs/specification.md#personal-notices). An outbox that nothing
 * wants is deleted: a cursor in it must go, too, since it would be wrong in the next one.
 */
import { PERSONS } from '../domain/personalNotices.ts';
import { dropCursor, startCursor } from '../engine/notices/cursors.ts';
import { readSentNotices } from '../store/choosers.ts';
import type { Store } from '../store/records.ts';

/**
 * Makes the cursor of a tenant, or deletes it if no member has chosen anything. Nobody is told what happened before.
 * @throws HoldfastError unavailable
 */
export async function followChoices(store: Store, tenant: string): Promise<void> {
  const notices = await readSentNotices(store, tenant);
  if (notices.length === 0) await dropCursor(store.redis, tenant, PERSONS);
  else await startCursor(store.redis, tenant, PERSONS, 'end', false);
}
