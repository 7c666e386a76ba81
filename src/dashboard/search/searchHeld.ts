/**
 * Finds who has something now, for the first page of the history: what a person looks for there may not have ended.
 */
import type { ActiveReservation } from '../../contract/reservations.ts';
import type { Credential } from '../../domain/tenants.ts';
import type { Engine } from '../../engine/engine.ts';
import { active } from '../../engine/reservations/active.ts';
import type { PastRow } from '../components/pastTable.tsx';
import { filterOf, type HistoryWish, wantedBy } from './searchHistory.ts';

/** Reservations in force that are looked at, and the most that a page shows. */
const MAX_LOOKED_AT = 5000;
const MAX_SHOWN = 20;

export interface HeldNow {
  /** The latest first. */
  readonly rows: readonly PastRow[];
  /** True if more may match. */
  readonly isPartial: boolean;
}

/**
 * Finds the reservations in force that a wish means: those that began before the end of its time. None, if it asks how
 * something ended.
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function searchHeld(engine: Engine, credential: Credential, wish: HistoryWish): Promise<HeldNow> {
  if (wish.ending !== undefined) return { rows: [], isPartial: false };
  const { resource, requester } = filterOf(wish);
  const isWanted = wantedBy(wish) ?? (() => true);
  const toMs = wish.to?.getTime() ?? Number.POSITIVE_INFINITY;
  const rows: (PastRow & { readonly reservedAt: number })[] = [];
  let looked = 0;
  for await (const page of active(engine, credential, { requester })) {
    for (const one of page.rows) {
      const row = rowOf(one);
      const names = [row.resource, ...row.slots, ...Object.keys(one.acquiredSlots ?? {})];
      if ((resource === undefined || names.includes(resource)) && row.reservedAt < toMs && isWanted(row))
        rows.push(row);
    }
    looked += page.rows.length;
    if (looked >= MAX_LOOKED_AT) break;
  }
  rows.sort((one, other) => other.reservedAt - one.reservedAt || other.number - one.number);
  return { rows: rows.slice(0, MAX_SHOWN), isPartial: rows.length > MAX_SHOWN || looked >= MAX_LOOKED_AT };
}

const rowOf = (one: ActiveReservation): PastRow & { readonly reservedAt: number } => ({
  number: one.fencingToken,
  requester: one.requester,
  resource: one.resource,
  slots: one.slots ?? [one.acquiredSlots?.[one.resource] ?? one.resource],
  mode: one.mode ?? 'EXCLUSIVE',
  note: one.note ?? null,
  reservedAt: Date.parse(one.reservedAt),
  endedAt: null,
  waitedMs: null,
  apiKeyLabel: one.apiKeyLabel,
  actor: null,
  ending: null,
});
