/**
 * An HTTP client that returns status, headers, and the body as parsed JSON.
 */
import type { CheckItem, CheckResult } from '../../src/contract/check.ts';
import type { ConditionItem, ConditionResult } from '../../src/contract/conditions.ts';
import type { Definition, TreeNode } from '../../src/contract/definitions.ts';
import type { RenewItem, RenewResult } from '../../src/contract/renewals.ts';
import type {
  ActiveReservation,
  ReserveItem,
  ReserveResult,
  TransactionItem,
  TransactionResult,
  UnreserveItem,
  UnreserveResult,
} from '../../src/contract/reservations.ts';
import type { CancelItem, CancelResult, WaitingRequest } from '../../src/contract/waiting.ts';

export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** A registration as it is sent. */
export interface RegistrationItem {
  readonly name: string;
  readonly capacity?: number | null;
  readonly blocks?: readonly string[] | null;
  readonly treePath?: string | null;
  readonly group?: boolean | null | undefined;
  readonly labels?: Readonly<Record<string, string>> | null | undefined;
  readonly groups?: boolean | null | undefined;
  readonly afterUse?: 'ready' | 'dirty' | null | undefined;
  readonly attributes?: Readonly<Record<string, string>> | null | undefined;
  readonly slotAttributes?: readonly Readonly<Record<string, string>>[] | null | undefined;
  readonly bookable?: boolean | null | undefined;
}

export interface Client {
  request<Body>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<Body>>;
  reserve(...items: ReserveItem[]): Promise<Answer<ReserveResult[]>>;
  unreserve(...items: UnreserveItem[]): Promise<Answer<UnreserveResult[]>>;
  renew(...items: RenewItem[]): Promise<Answer<RenewResult[]>>;
  transaction(method: string, ...requests: TransactionItem[]): Promise<Answer<TransactionResult>>;
  cancel(...items: CancelItem[]): Promise<Answer<CancelResult[]>>;
  waiting(query?: string): Promise<Answer<WaitingRequest[]>>;
  reset(): Promise<Answer<{ cleared: number }>>;
  check(...items: CheckItem[]): Promise<Answer<CheckResult[]>>;
  active(query?: string): Promise<Answer<ActiveReservation[]>>;
  available(resource: string): Promise<Answer<boolean>>;
  register(...items: RegistrationItem[]): Promise<Answer<Definition[]>>;
  setCondition(...items: ConditionItem[]): Promise<Answer<ConditionResult[]>>;
  definitions(query?: string): Promise<Answer<Definition[]>>;
  tree(): Promise<Answer<TreeNode[]>>;
  delete(name: string, query?: string): Promise<Answer<{ deleted: string[] }>>;
}

/** @param signal closes the connections of its calls */
export function createClient(url: string, key: string, signal?: AbortSignal): Client {
  const request = async <Body>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<Body>> => {
    const response = await fetch(url + path, {
      method,
      signal: signal ?? null,
      headers: { 'X-Api-Key': key, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  return {
    request,
    reserve: (...items) => request('POST', '/api/v1/Reservation/reserve', items),
    unreserve: (...items) => request('POST', '/api/v1/Reservation/unreserve', items),
    renew: (...items) => request('POST', '/api/v1/Reservation/renew', items),
    transaction: (method, ...requests) => request('POST', '/api/v1/Reservation/transaction', { method, requests }),
    cancel: (...items) => request('POST', '/api/v1/Reservation/cancel', items),
    waiting: (query = '') => request('GET', `/api/v1/Reservation/waiting${query}`),
    reset: () => request('POST', '/api/v1/Reservation/reset'),
    check: (...items) => request('POST', '/api/v1/Reservation/check', items),
    active: (query = '') => request('GET', `/api/v1/Reservation/activeReservations${query}`),
    register: (...items) => request('POST', '/api/v1/Resource/register', items),
    setCondition: (...items) => request('PUT', '/api/v1/Resource/condition', items),
    definitions: (query = '') => request('GET', `/api/v1/Resource/definitions${query}`),
    tree: () => request('GET', '/api/v1/Resource/tree'),
    delete: (name, query = '') => request('DELETE', `/api/v1/Resource/${encodeURIComponent(name)}${query}`),
    available: (resource) => request('GET', `/api/v1/Resource/available/${encodeURIComponent(resource)}`),
  };
}

/** Acts for each of many, a hundred at a time: an instance that is short of CPU refuses more at once. */
export async function inPieces<One, Result>(
  all: readonly One[],
  act: (one: One) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let i = 0; i < all.length; i += 100) results.push(...(await Promise.all(all.slice(i, i + 100).map(act))));
  return results;
}
