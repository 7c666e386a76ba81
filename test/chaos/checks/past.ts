/**
 * Checks the history of ended reservations (docs/specification.md#history): one entry for each that ended, with the way
 * in which it ended, and none for what is still held or what nobody asked for.
 */
import type { HistoryEntry } from '../../../src/contract/history.ts';
import { KEPT_ENTRIES } from '../../../src/domain/history.ts';
import type { Check, Violation } from '../check.ts';
import type { EndState, History } from '../history.ts';
import { SERVED_PREFIX } from '../things.ts';
import { untoldOf } from './eventsComplete.ts';
import { type Hold, holdsOf } from './holds.ts';
import { callsByRequester, callsOf, limited, lossesOf, nameOf } from './seen.ts';

export const past: Check = {
  name: 'history',
  rule: 'The history has one entry for each reservation that ended, with its end, and none for others.',
  run(history) {
    const checks = history.end.map((end) => checkTenant(history, end));
    const violations = checks.flatMap((one) => one.violations);
    return { looked: checks.reduce((sum, one) => sum + one.looked, 0), violations: limited(violations) };
  },
};

/** Largest difference of clocks, and the longest time of other tenants' calls between a change and its answer. */
const LEEWAY_MS = 1_000;

function checkTenant(history: History, { tenant, past: entries, active, readAt }: EndState) {
  const isLost = lossesOf(history);
  const isMoved = history.faults.some(({ clockStepMs }) => clockStepMs !== 0);
  const askedBy = callsByRequester(history);
  const isUntold = untoldOf(history);
  const holds = holdsOf(history).holds.filter((hold) => hold.tenant === tenant);
  const byToken = new Map(holds.map((hold) => [hold.fencingToken, hold]));
  const kept = new Map<number, HistoryEntry>();
  const violations: Violation[] = [];
  const wrong = (what: string, hold?: Hold) =>
    void violations.push({ check: past.name, what: `${tenant}: ${what}`, calls: hold ? callsOf([hold]) : [] });

  for (const entry of entries) {
    if (entry.kind !== 'RESERVATION') continue;
    const { fencingToken, requester, resource } = entry;
    const named = `the entry of ${requester} (${resource}, ${fencingToken})`;
    if (fencingToken === null) wrong(`${named} has no fencing token`);
    else {
      // A database keeps the entry of an end that a failover has lost: the reservation then ends once more.
      const before = kept.get(fencingToken);
      if (before !== undefined && !isLost(Date.parse(before.endedAt), Date.parse(entry.endedAt)))
        wrong(`${named} is there twice`, byToken.get(fencingToken));
      kept.set(fencingToken, entry);
    }
    if (!requester.startsWith(SERVED_PREFIX) && askedBy(tenant, requester).length === 0)
      wrong(`${named} is of a requester who never called`);
    if (fencingToken !== null && isUntold(tenant, requester, fencingToken))
      wrong(`${named} is of what no call was told`);
    const hold = byToken.get(fencingToken ?? -1);
    const why = hold && againstEntry(entry, hold, isMoved);
    if (why) wrong(`${named} ${why}`, hold);
    if (active.some((one) => one.fencingToken === fencingToken)) wrong(`${named} is of what is still held`, hold);
  }

  // In Redis alone the oldest entries are dropped.
  const isFull = entries.length >= KEPT_ENTRIES;
  const oldestAt = isFull ? Date.parse(entries[0]?.endedAt ?? '') + LEEWAY_MS : 0;
  const ended = holds.filter(
    ({ askedAt, endedBy, endsFrom }) => endedBy < readAt - LEEWAY_MS && endsFrom > oldestAt && !isLost(askedAt, readAt),
  );
  for (const hold of ended) if (!kept.has(hold.fencingToken)) wrong(`there is no entry of ${nameOf(hold)}`, hold);
  return { looked: entries.length + ended.length, violations };
}

const HOW = {
  RELEASED: 'released',
  EXPIRED: 'expired',
  SESSION_ENDED: 'session',
  RESET: 'reset',
} as const;

/** Returns what contradicts an entry. */
function againstEntry(entry: HistoryEntry, hold: Hold, isMoved: boolean): string | null {
  if (entry.requester !== hold.requester) return `is of another requester than ${nameOf(hold)}`;
  const how = Object.entries(HOW).find(([ending]) => ending === entry.ending)?.[1];
  // A reservation of a session may end with it although its caller did not say so in each of its requests.
  const isKnown = how === undefined || how === 'session' || hold.ends.some((end) => end.how === how);
  if (!isKnown) return `says ${entry.ending}, but nothing of the kind was done`;
  if (isMoved) return null;
  const endedAt = Date.parse(entry.endedAt);
  if (entry.reservedAt !== null && Date.parse(entry.reservedAt) > endedAt) return 'ends before it begins';
  if (endedAt < hold.askedAt - LEEWAY_MS) return `ends at ${entry.endedAt}, before it was asked for`;
  return endedAt > hold.endedBy + LATE_MS ? `ends at ${entry.endedAt}, long after it had ended` : null;
}

/** A lease that nobody looks at ends with the next sweep, which may be late after a fault. */
const LATE_MS = 90_000;
