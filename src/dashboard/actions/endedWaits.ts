/**
 * Counts the waits that end when settings are saved, since these do not allow them any more
 * (docs/specification.md#settings).
 */
import type { SettingsChange } from '../../contract/tenant.ts';
import type { WaitingRequest } from '../../contract/waiting.ts';
import type { Credential, Settings } from '../../domain/tenants.ts';
import type { Engine } from '../../engine/engine.ts';
import { waiting } from '../../engine/waiting/list.ts';

/** The most waits that are looked at. */
const MOST = 2000;

type Terms = Pick<Settings, 'requireNote' | 'maxTtlSeconds'>;

/** Requests with a session have its lease, and those for the first of several may go on with another one. */
const isAllowed = ({ note, ttlSeconds, method }: WaitingRequest, { requireNote, maxTtlSeconds }: Terms): boolean =>
  method === 'FIRST' ||
  (!(requireNote && note === undefined) &&
    (maxTtlSeconds === null || ttlSeconds === null || ttlSeconds <= maxTtlSeconds));

/**
 * To be called before the settings are saved.
 * @returns the number of waits that end, of the first 2,000; 0 if the settings forbid no more than before
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function countEnding(
  engine: Engine,
  credential: Credential,
  before: Terms,
  change: SettingsChange,
): Promise<number> {
  const { requireNote = before.requireNote, maxTtlSeconds = before.maxTtlSeconds } = change;
  const after = { requireNote, maxTtlSeconds };
  const isStricter =
    (after.requireNote && !before.requireNote) ||
    (after.maxTtlSeconds !== null && after.maxTtlSeconds < (before.maxTtlSeconds ?? Number.POSITIVE_INFINITY));
  if (!isStricter) return 0;
  const rows: WaitingRequest[] = [];
  for await (const page of waiting(engine, credential)) {
    rows.push(...page.rows);
    if (rows.length >= MOST) break;
  }
  return rows.filter((row) => !isAllowed(row, after)).length;
}
