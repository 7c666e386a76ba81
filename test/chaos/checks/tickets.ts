/** The tickets of requests that wait, as their callers know of them (docs/specification.md#tickets). */
import type { Call, CallOf, History } from '../history.ts';
import { PLAIN } from '../things.ts';
import { resourcesOf, type Wanted } from './capacity.ts';
import { groupBy, outcomeOf, waits } from './outcomes.ts';

/** A request that waits, which may have a ticket. */
export interface Wish {
  readonly tenant: string;
  readonly requester: string;
  /** The items that it waits for, together. */
  readonly wanted: readonly Wanted[];
  /** The resources of its plans. */
  readonly resources: readonly string[];
  /** The highest that it was sent with. */
  readonly priority: number;
  readonly calls: readonly Call[];
  /** When its first call was made. */
  readonly askedAt: number;
  /** When it had no ticket for certain. */
  readonly goneBy: number;
}

/** A wish that was in the queue for certain. */
export interface Ticket extends Wish {
  readonly queuedAt: number;
  /** Until when its wait lasts at least. */
  readonly until: number;
  /** Until when it has been attended without a break. */
  readonly attendedUntil: number;
  /** Of its grant: the lowest one. Null: its caller was not told of any. */
  readonly fencingToken: number | null;
  /** When its caller was told of its grant; else when its last call was over. */
  readonly endedAt: number;
}

/** One call of a wish. */
interface Ask {
  readonly call: CallOf<'reserve'> | CallOf<'transaction'>;
  readonly wanted: readonly Wanted[];
  readonly requester: string;
  readonly waitSeconds: number;
  readonly priority: number;
  readonly claimSeconds: number;
  /** True if it may be judged: it wants all of it, alone, with a lease. */
  readonly isSimple: boolean;
  readonly status: string | null;
  readonly fencingToken: number | null;
}

/** An answer that comes sooner is of a caller that does not poll, or of an instance that stops. */
const HELD_MS = 900;
/** The least that a ticket keeps its turn without a call; half of a second is for the way. */
const CLAIM_SECONDS = 5;
const WAY_MS = 500;
/** Longest time for which a call that was given up may still be carried out: a part stood still. */
const AFTERMATH_MS = 45_000;

/** Returns all wishes, and those of them that were in the queue for certain. */
export function ticketsOf({ calls, streams }: History): {
  readonly wishes: readonly Wish[];
  readonly tickets: readonly Ticket[];
} {
  const groups = groupBy(calls.filter(waits).flatMap(asksIn), ({ call: { tenant, verb }, requester, wanted }) =>
    keyOf(tenant, verb, requester, ...wanted.map(({ resource }) => resource)),
  );
  const told = new Map<string, number>();
  for (const { tenant, events } of streams)
    for (const { receivedAt, event } of events) {
      if (event.type !== 'WAITING') continue;
      const of = event.changes?.map(({ resource }) => resource) ?? [event.resource];
      const requester = event.requester ?? event.changes?.[0]?.requester;
      const key = keyOf(tenant, event.changes ? 'transaction' : 'reserve', requester, ...of);
      told.set(key, Math.min(receivedAt, told.get(key) ?? Infinity));
    }
  const wishes: Wish[] = [];
  const tickets: Ticket[] = [];
  for (const [key, asks] of groups) {
    const wish = wishOf(asks);
    wishes.push(wish);
    const ticket = ticketOf(wish, asks, told.get(key) ?? Infinity);
    if (ticket) tickets.push(ticket);
  }
  return { wishes, tickets };
}

const keyOf = (...words: readonly (string | null | undefined)[]) => words.join(' ');

function asksIn(call: Call): readonly Ask[] {
  if (call.verb === 'transaction') {
    const { requests, method, waitSeconds = 0, priority = 0, claimSeconds = CLAIM_SECONDS, session } = call.request;
    const tokens = (call.response?.results ?? []).flatMap((one) =>
      'fencingToken' in one ? (one.fencingToken ?? []) : [],
    );
    return [
      {
        ...{ call, wanted: requests, requester: requests[0]?.requester ?? '', waitSeconds, priority, claimSeconds },
        isSimple: method === 'ALL_OR_NONE' && session === undefined && requests.every(isPlainItem),
        status: call.response?.status ?? null,
        fencingToken: tokens.length > 0 ? Math.min(...tokens) : null,
      },
    ];
  }
  if (call.verb !== 'reserve') return [];
  return call.request.flatMap((item, i): readonly Ask[] => {
    const { requester, waitSeconds = 0, priority = 0, claimSeconds = CLAIM_SECONDS } = item;
    if (waitSeconds === 0) return [];
    const result = call.response?.[i];
    return [
      {
        ...{ call, wanted: [item], requester, waitSeconds, priority, claimSeconds },
        isSimple: call.request.length === 1 && isPlainItem(item),
        status: result?.status ?? null,
        fencingToken: result?.fencingToken ?? null,
      },
    ];
  });
}

/** Returns true if its plan is known, and nobody may join what it takes. */
const isPlainItem = (item: {
  readonly match?: unknown;
  readonly mode?: unknown;
  readonly session?: unknown;
}): boolean => item.match === undefined && item.mode !== 'SHARED' && item.session === undefined;

function wishOf(asks: readonly Ask[]): Wish {
  const [first] = asks;
  const calls = asks.map(({ call }) => call);
  const last = asks.at(-1);
  const ends = asks.map((ask) => {
    const { call, waitSeconds, claimSeconds, status } = ask;
    if (outcomeOf(call) === 'unknown') return call.completedAt + AFTERMATH_MS + waitSeconds * 1000;
    const isLeft = ask === last && status === 'WAITING';
    return isLeft ? call.completedAt + (waitSeconds + claimSeconds) * 1000 : call.completedAt;
  });
  return {
    tenant: first?.call.tenant ?? '',
    requester: first?.requester ?? '',
    wanted: first?.wanted ?? [],
    resources: [...new Set((first?.wanted ?? []).flatMap(resourcesOf))],
    priority: Math.max(...asks.map(({ priority }) => priority)),
    calls,
    askedAt: first?.call.invokedAt ?? 0,
    goneBy: Math.max(...ends),
  };
}

function ticketOf(wish: Wish, asks: readonly Ask[], toldAt: number): Ticket | null {
  if (asks.some((ask) => !ask.isSimple || ask.priority !== wish.priority)) return null;
  const answers = asks.filter(({ call: { status, isReplayed } }) => status === 200 && !isReplayed);
  const waited = answers.filter(({ status }) => status === 'WAITING');
  if (waited.some(({ call }) => call.completedAt - call.invokedAt < HELD_MS)) return null;
  // An answer that decides a ticket at once is of none.
  const queuedAt = Math.min(toldAt, waited[0]?.call.completedAt ?? Infinity);
  if (queuedAt === Infinity) return null;

  let attendedUntil = queuedAt;
  for (const { call, claimSeconds } of answers) {
    if (call.completedAt < queuedAt) continue;
    if (call.invokedAt > attendedUntil) break;
    attendedUntil = call.completedAt + claimSeconds * 1000 - WAY_MS;
  }
  const granted = answers.find(({ fencingToken }) => fencingToken !== null);
  const waitSeconds = Math.min(...asks.map((ask) => ask.waitSeconds));
  const last = asks.at(-1)?.call.completedAt ?? queuedAt;
  return {
    ...wish,
    ...{ queuedAt, until: wish.askedAt + waitSeconds * 1000 - WAY_MS, attendedUntil },
    fencingToken: granted?.fencingToken ?? null,
    endedAt: granted?.call.completedAt ?? last,
  };
}

/** The name of a ticket for one plain name; null: it is for something else. */
export function plainNameOf({ wanted: [one, ...more] }: Wish): string | null {
  const name = PLAIN.find((plain) => plain === one?.resource);
  return name !== undefined && more.length === 0 ? name : null;
}
