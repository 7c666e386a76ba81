/**
 * Lists who waits, in queue order, page by page (docs/specification.md#listings).
 */
import type { WaitingFilter, WaitingRequest } from '../../contract/waiting.ts';
import { CONDITIONS, type Condition } from '../../domain/conditions.ts';
import type { Quota } from '../../domain/quota.ts';
import { type Mode, TRANSACTION_METHODS } from '../../domain/reservations.ts';
import type { Credential } from '../../domain/tenants.ts';
import { parseItem, toInteger, toMs, toText } from '../../redis/reply.ts';
import { call, callRead } from '../call.ts';
import type { Page } from '../definitions/list.ts';
import type { Engine } from '../engine.ts';
import { toReason } from '../reservations/holders.ts';

/** Rows that one call looks at. */
const PAGE_ROWS = 400;

/** Where a list goes on. */
export interface WaitingCursor {
  readonly cursor: string;
  /** The number of resets when the list began: it ends at a reset. */
  readonly resets: string;
}

const START: WaitingCursor = { cursor: '', resets: '' };

/** A part of the list. */
export interface WaitingPage {
  /** The number of all tickets of the tenant. */
  readonly total: number;
  readonly rows: WaitingRequest[];
  /** Where the next page begins; undefined: there is none */
  readonly next: WaitingCursor | undefined;
  /** The remaining quota of reads; empty if the page cost nothing. */
  readonly quota: readonly Quota[];
}

/**
 * Reads one page of the list. A page may have no rows although others follow: the filter left out all of them.
 * @param cost reads to charge
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export async function waitingPage(
  engine: Engine,
  credential: Credential,
  { requester = '', resource = '' }: WaitingFilter = {},
  { cursor, resets }: WaitingCursor = START,
  cost = 0,
): Promise<WaitingPage> {
  const args = [cursor, resets, PAGE_ROWS, requester, resource];
  const { quota, result } = await callRead(engine, 'waiting', credential, cost, () => args);
  const [after, current, total, ...rows] = result;
  const next = toText(after);
  return {
    total: toInteger(total),
    rows: rows.map(toRow),
    next: next === '' ? undefined : { cursor: next, resets: toText(current) },
    quota,
  };
}

/**
 * Lists all matching tickets. One that is issued or ends during the walk is listed at most once.
 * @param cost reads to charge with the first page
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError; also after the first page
 */
export async function* waiting(
  engine: Engine,
  credential: Credential,
  filter: WaitingFilter = {},
  cost = 0,
): AsyncGenerator<Page<WaitingRequest>> {
  let from: WaitingCursor | undefined = START;
  while (from !== undefined) {
    const page: WaitingPage = await waitingPage(engine, credential, filter, from, from === START ? cost : 0);
    from = page.next;
    yield { total: page.total, rows: page.rows, isLast: from === undefined, quota: page.quota };
  }
}

/** Reads a row of the list. */
export function toRow(reply: unknown): WaitingRequest {
  const [, requester, resources, counts, conditions, ttlMs, method, priority, ...rest] = parseItem(reply);
  const [since, until, waitsFor, attended, label, note, why = ''] = rest;
  return {
    requester: toText(requester),
    ...toWants(resources, counts, conditions, ttlMs),
    method: TRANSACTION_METHODS.find((one) => one === method) ?? null,
    priority: toInteger(priority),
    since: new Date(toMs(since)).toISOString(),
    until: new Date(toMs(until)).toISOString(),
    waitsFor: toText(waitsFor),
    attended: attended === '1',
    apiKeyLabel: toText(label) || null,
    ...(note ? { note } : {}),
    ...toReason(why),
  };
}

const toWants = (resources: unknown, counts: unknown, conditions: unknown, ttlMs: unknown) => ({
  resources: toText(resources).split('\t'),
  counts: toText(counts).split('\t').map(toInteger),
  ...(conditions ? { conditions: toText(conditions).split('\t').map(toCondition) } : {}),
  ttlSeconds: ttlMs === '' ? null : toMs(ttlMs) / 1000,
});

const toCondition = (text: string): Condition => CONDITIONS.find((one) => one === text) ?? 'ready';

export interface Standing {
  /** True if it was granted, and is to be claimed. */
  readonly isGranted: boolean;
  /** The number of tickets before it. */
  readonly ahead: number;
  readonly waitsFor: string;
  readonly since: string;
  /** When the grant ends if nobody claims it, or the wait. */
  readonly until: string;
  readonly mode: Mode | undefined;
  /** The names in the request, in its order. */
  readonly resources: readonly string[];
  /** Number of slots of each of `resources` that it asks for. */
  readonly counts: readonly number[];
  /** The condition of each of `resources` that it asks for; absent: ready. */
  readonly conditions?: readonly Condition[];
  /** The longest lease that it asks for; null with a session. */
  readonly ttlSeconds: number | null;
}

/**
 * Reads where the requests of a requester stand that wait, or were granted and are not claimed yet, for the dashboard.
 * @returns the first 50, in no order
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function standings(engine: Engine, credential: Credential, requester: string): Promise<Standing[]> {
  return (await call(engine, 'standings', credential, () => [requester])).map(toStanding);
}

function toStanding(reply: unknown): Standing {
  const [granted, ahead, waitsFor, since, until, mode, resources, counts, conditions, ttlMs] = parseItem(reply);
  return {
    isGranted: granted === '1',
    ahead: toInteger(ahead),
    waitsFor: toText(waitsFor),
    since: new Date(toMs(since)).toISOString(),
    until: new Date(toMs(until)).toISOString(),
    mode: mode === 'SHARED' ? mode : undefined,
    ...toWants(resources, counts, conditions, ttlMs),
  };
}
