/**
 * Turns the calls of a history into operations on single names, for the search of linear/search.ts. Only names are
 * taken that always mean the same one slot, and that nothing else takes along.
 */
import type { Call, FaultSeen, History } from '../../history.ts';
import { FIXED } from '../../things.ts';
import { type Holds, holdsOf } from '../holds.ts';
import type { Operation, Search } from '../linearizability.ts';
import { CLOCK_MS } from '../loss.ts';
import { groupBy } from '../outcomes.ts';
import { lastOf, steadyNames } from '../seen.ts';
import { type ItemSeen, isRead, itemsOf, type Lease, type Step } from './items.ts';

/** Largest difference between the clock of the campaign, which is never set, and that of the machine. */
const DRIFT_MS = 500;

/** Time after which a call that was given up may take effect: a part that stood still carries it out when it wakes. */
const AFTERMATH_MS = 45_000;

/** So long after a fault was healed answers may come that were written before. */
const SETTLED_MS = 1_000;

export interface NameSearch extends Search<Call> {
  readonly tenant: string;
  readonly name: string;
}

/** Returns what there is to search: one search for each name. */
export function searchesOf(history: History): readonly NameSearch[] {
  const isSteady = steadyNames(history);
  const holds = holdsOf(history);
  const losing = history.faults.filter(({ loses }) => loses !== 'nothing');
  const resets = history.calls.filter(({ verb }) => verb === 'reset');
  const items = firstAnswers(history.calls)
    .flatMap(itemsOf)
    .filter(({ call, resource }) => isAlone(lastOf(resource)) && isSteady(call.tenant, resource));
  const byName = groupBy(items, ({ call, resource }) => `${call.tenant} ${lastOf(resource)}`);
  return [...byName.values()].flatMap((seen) => {
    const [first] = seen;
    if (!first) return [];
    const { tenant } = first.call;
    const cleared = resets.filter((call) => call.tenant === tenant);
    const named = createNamed(seen, { holds, losing });
    const operations = [...named.operations(), ...cleared.map(clearing)];
    const forgets = losing.flatMap(({ startedAt, healedAt }) => [startedAt, healedAt + SETTLED_MS]);
    return { tenant, name: lastOf(first.resource), operations, deadlines: named.deadlines(), forgets };
  });
}

/** Names that have one slot, and that are neither taken along by others nor the slot of a pool. */
function isAlone(name: string): boolean {
  const known = FIXED.find((one) => one.name === name || one.name === name.replace(/_\d+$/, ''));
  const isTakenAlong = FIXED.some(
    ({ blocks, treePath }) => blocks?.includes(name) || treePath?.split('>').includes(name),
  );
  return !isTakenAlong && (known?.capacity ?? 1) === 1;
}

/** Leaves out the calls whose answer repeats that of another one. */
function firstAnswers(calls: readonly Call[]): readonly Call[] {
  const answered = new Set<string>();
  return calls.filter(({ tenant, idempotencyKey, isReplayed, status }) => {
    if (idempotencyKey === undefined || status !== 200) return true;
    const key = `${tenant} ${idempotencyKey}`;
    const isFirst = !answered.has(key);
    answered.add(key);
    // A request that waits has an answer of its own each time.
    return isFirst || isReplayed === undefined;
  });
}

function clearing(call: Call): Operation<Call> {
  const isCertain = call.status === 200;
  const by = isCertain ? call.completedAt : call.completedAt + AFTERMATH_MS;
  return { source: call, steps: [{ does: 'clear' }], from: call.invokedAt, by, isAnswered: isCertain, isCertain };
}

interface Around {
  readonly holds: Holds;
  readonly losing: readonly FaultSeen[];
}

/** Makes the operations of one name from all that was seen of it. */
function createNamed(items: readonly ItemSeen[], { holds: { byToken, sessions, undoing }, losing }: Around) {
  const deadlines = new Map<string, number>();
  const holders = new Set(
    items.flatMap((item) =>
      [item.heldBy ?? [], item.token !== null && item.status !== null ? item.requester : []].flat(),
    ),
  );
  /** When a requester first asked without being told what came of it. */
  const tried = earliest(items, ({ does, status }) => does === 'reserve' && (status === null || status === 'WAITING'));
  const given = earliest(items, ({ does, status }) => does === 'release' && status === null);
  /** From when on somebody may hold it whom nobody was told of. */
  const unseenFrom = Math.min(
    ...items.filter((item) => mayTake(item) && !holders.has(item.requester)).map(({ call }) => call.invokedAt),
  );

  const leaseOf = (
    { call, session, ttlSeconds, claimSeconds, token, expiresAt, status }: ItemSeen,
    from: number,
  ): Lease => {
    if (session !== undefined) {
      const known = sessions.get(session);
      if (known && known.endedBy < Infinity) deadlines.set(session, known.endedBy + CLOCK_MS);
      return { key: session, from: known?.endsFrom ?? from };
    }
    if (status !== null && token !== null && status !== 'WAITING') {
      if (expiresAt === null) return { key: null, from: Infinity };
      const at = Date.parse(expiresAt);
      // It may have been set as late as the answer, by a clock that is behind.
      const raw = { from: at - DRIFT_MS, by: Math.max(at + DRIFT_MS, call.completedAt) };
      const due = undoing.withSteps(Math.min(from, call.invokedAt), raw);
      deadlines.set(`${token} ${expiresAt}`, due.by);
      return { key: `${token} ${expiresAt}`, from: due.from };
    }
    const seconds = Math.min(ttlSeconds ?? Infinity, claimSeconds ?? Infinity);
    if (seconds === Infinity) return { key: null, from: Infinity };
    const due = from + seconds * 1000 - CLOCK_MS;
    return { key: null, from: undoing.withSteps(from, { from: due, by: due }).from };
  };

  const stepOf = (item: ItemSeen, from: number): Step | null => {
    const { does, status, requester, token } = item;
    // Neither a renewal nor its answer says the mode: the reservation has it.
    const isShared = does === 'renew' ? byToken.get(token ?? '')?.mode !== 'EXCLUSIVE' : item.isShared;
    const held = () => ({ requester, token, isShared, lease: leaseOf(item, from) });
    if (does === 'reserve') {
      if (status === null || status === 'ACQUIRED') return { does: 'take', ...held() };
      if (status === 'ALREADY_HAD') return { does: 'have', mayTake: item.call.at === 'balancer', ...held() };
      return status === 'ALREADY_HELD' && item.claimSeconds === undefined ? { does: 'seeHeld', by: item.heldBy } : null;
    }
    if (status === null || status === 'RELINQUISHED' || status === 'RENEWED')
      return does === 'renew' ? { does, ...held() } : { does: 'give', requester, token };
    if (status === 'NOT_RESERVED' || status === 'FREE') return { does: 'seeFree' };
    return status === 'HELD' || status === 'DOESNT_OWN_RESERVATION' ? { does: 'seeHeld', by: null } : null;
  };

  const isUndone = (from: number, by: number) =>
    losing.some(({ startedAt, healedAt }) => from <= healedAt + SETTLED_MS && by >= startedAt);

  /** When a call was sent. A replayed answer is that of an earlier attempt, whose caller may not have been told it. */
  const sentAt = ({ idempotencyKey, isReplayed, invokedAt }: Call) =>
    isReplayed === undefined
      ? invokedAt
      : Math.min(...items.flatMap(({ call }) => (call.idempotencyKey === idempotencyKey ? [call.invokedAt] : [])));

  /** The items of one call become one operation. */
  const operationOf = (own: readonly ItemSeen[]): Operation<Call>[] => {
    const call = own[0]?.call;
    if (!call) return [];
    const isDone = call.status === 200;
    const early = own.map(({ does, status, requester }) => {
      if (status === 'ACQUIRED') return tried.get(requester) ?? Infinity;
      return does === 'release' && status === 'RELINQUISHED' ? (given.get(requester) ?? Infinity) : Infinity;
    });
    const from = Math.min(sentAt(call), ...early);
    const steps = own
      .filter((item) => item.status !== 'WAITING' && (isDone || !mayTake(item) || holders.has(item.requester)))
      .map((item) => stepOf(item, from))
      .filter((step): step is Step => step !== null)
      .filter((step) => step.does !== 'seeHeld' || step.by !== null || call.completedAt < unseenFrom);
    const ends = steps.flatMap((step) => ('lease' in step ? (deadlines.get(step.lease.key ?? '') ?? []) : []));
    const by = Math.max(from, Math.min(isDone ? call.completedAt : call.completedAt + AFTERMATH_MS, ...ends));
    const isCertain = isDone && !isUndone(from, by);
    const isOf = isCertain ? steps.length > 0 : steps.some((step) => !isRead(step));
    return isOf ? [{ source: call, steps, from, by, isAnswered: isDone, isCertain }] : [];
  };

  /** Returns true if a grant of the ticket may have ended again by a time, without its caller knowing. */
  const mayLapseBy = ({ call, ttlSeconds, claimSeconds }: ItemSeen, at: number) =>
    at >= call.invokedAt + Math.min(ttlSeconds ?? Infinity, claimSeconds ?? Infinity) * 1000 - CLOCK_MS;

  /** When a requester was last told that it has it. */
  const told = new Map(
    items.flatMap(({ does, status, requester, call }) =>
      does === 'reserve' && status === 'ACQUIRED' ? [[requester, call.completedAt]] : [],
    ),
  );

  /** A ticket may be granted between two calls, and the grant be lost again before a caller knows. */
  const unclaimed = (own: readonly ItemSeen[]): Operation<Call>[] => {
    const [first] = own;
    const last = own.at(-1);
    if (!first || !last || !holders.has(first.requester)) return [];
    const toldAt = told.get(first.requester) ?? Infinity;
    if (!mayLapseBy(first, toldAt)) return [];
    const from = first.call.invokedAt;
    const step = { ...first, status: null, token: null };
    const by = Math.min(toldAt, last.call.completedAt + (last.claimSeconds ?? 0) * 1000 + AFTERMATH_MS);
    const { requester, isShared } = first;
    const take: Step = { does: 'take', requester, token: null, isShared, lease: leaseOf(step, from) };
    return [{ source: first.call, steps: [take], from, by, isAnswered: false, isCertain: false }];
  };

  return {
    operations: () => {
      const tickets = items.filter(({ status }) => status === 'WAITING');
      return [
        ...[...groupBy(items, ({ call }) => String(call.id)).values()].flatMap(operationOf),
        ...[...groupBy(tickets, ({ requester }) => requester).values()].flatMap(unclaimed),
      ];
    },
    deadlines: () => [...deadlines].map(([key, at]) => ({ key, at })),
  };
}

/** Returns true if somebody may hold it since, without having been told. */
const mayTake = ({ does, status }: ItemSeen) => does === 'reserve' && (status === null || status === 'WAITING');

function earliest(items: readonly ItemSeen[], isOne: (item: ItemSeen) => boolean): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const item of items) {
    const known = found.get(item.requester) ?? Infinity;
    if (isOne(item)) found.set(item.requester, Math.min(known, item.call.invokedAt));
  }
  return found;
}
