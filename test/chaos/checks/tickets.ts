/**
 * The tickets of requests that wait for one plain name, as their callers know of them (docs/specification.md#tickets).
 */
import type { Call, CallOf, History } from '../history.ts';
import { PLAIN } from '../things.ts';
import { groupBy } from './outcomes.ts';

export interface Ticket {
  readonly tenant: string;
  readonly resource: string;
  readonly requester: string;
  readonly priority: number;
  readonly calls: readonly Call[];
  /** When its first call was made. */
  readonly askedAt: number;
  /** When it was in the queue for certain. */
  readonly queuedAt: number;
  /** Until when its wait lasts at least. */
  readonly until: number;
  /** Until when it has been attended without a break. */
  readonly attendedUntil: number;
  /** Of its grant. Null: its caller was not told of any. */
  readonly fencingToken: number | null;
  /** When its caller was told of its grant; else when its last call was over. */
  readonly endedAt: number;
}

type Reserve = CallOf<'reserve'>;

/** Returns the tickets for plain names, of calls with one item, that were certainly in the queue. */
export function ticketsOf({ calls, streams }: History): readonly Ticket[] {
  const names: readonly string[] = PLAIN;
  const waiting = calls
    .filter((call) => call.verb === 'reserve')
    .filter(
      ({ request: [item, ...more] }) => item?.waitSeconds && more.length === 0 && names.includes(item.resource ?? ''),
    );
  const groups = groupBy(waiting, ({ tenant, request: [item] }) => keyOf(tenant, item?.requester, item?.resource));
  const told = new Map<string, number>();
  for (const { tenant, events } of streams)
    for (const { receivedAt, event } of events) {
      if (event.type !== 'WAITING') continue;
      const key = keyOf(tenant, event.requester, event.resource);
      told.set(key, Math.min(receivedAt, told.get(key) ?? Infinity));
    }
  return [...groups].flatMap(([key, own]) => ticketOf(own, told.get(key) ?? Infinity) ?? []);
}

const keyOf = (...words: readonly (string | null | undefined)[]) => words.join(' ');

/** An answer that comes sooner is of a caller that does not poll, or of an instance that stops. */
const HELD_MS = 900;
/** The least that a ticket keeps its turn without a call; half of a second is for the way. */
const CLAIM_SECONDS = 5;
const WAY_MS = 500;

function ticketOf(calls: readonly Reserve[], toldAt: number): Ticket | null {
  const [first] = calls;
  const item = first?.request[0];
  const last = calls.at(-1);
  if (!first || !last || !item?.resource || item.session !== undefined || item.mode === 'SHARED') return null;
  const items = calls.map(({ request }) => request[0]);
  const priority = item.priority ?? 0;
  if (items.some((one) => (one?.priority ?? 0) !== priority)) return null;
  const answers = calls.filter(({ status, isReplayed }) => status === 200 && !isReplayed);
  const isWaiting = ({ response }: Reserve) => response?.[0]?.status === 'WAITING';
  const waited = answers.filter(isWaiting);
  if (waited.some(({ invokedAt, completedAt }) => completedAt - invokedAt < HELD_MS)) return null;
  // An answer that decides a ticket at once is of none.
  const queuedAt = Math.min(toldAt, waited[0]?.completedAt ?? Infinity);
  if (queuedAt === Infinity) return null;

  let attendedUntil = queuedAt;
  for (const { invokedAt, completedAt, request } of answers) {
    if (completedAt < queuedAt) continue;
    if (invokedAt > attendedUntil) break;
    const claimSeconds = request[0]?.claimSeconds ?? CLAIM_SECONDS;
    attendedUntil = completedAt + claimSeconds * 1000 - WAY_MS;
  }
  const granted = answers.find(({ response }) => response?.[0]?.fencingToken != null);
  const waitSeconds = Math.min(...items.map((one) => one?.waitSeconds ?? 0));
  return {
    ...{ tenant: first.tenant, resource: item.resource, requester: item.requester, priority, calls },
    ...{ askedAt: first.invokedAt, queuedAt, until: first.invokedAt + waitSeconds * 1000 - WAY_MS, attendedUntil },
    fencingToken: granted?.response?.[0]?.fencingToken ?? null,
    endedAt: granted?.completedAt ?? last.completedAt,
  };
}
