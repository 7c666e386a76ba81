/**
 * An HTTP client that says what it got: status, headers, and the body as parsed JSON.
 */
import type {
  ActiveReservation,
  CheckItem,
  CheckResult,
  ReserveItem,
  ReserveResult,
  UnreserveItem,
  UnreserveResult,
} from '../../src/domain/reservations.ts';

export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface Client {
  request<Body>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<Body>>;
  reserve(...items: ReserveItem[]): Promise<Answer<ReserveResult[]>>;
  unreserve(...items: UnreserveItem[]): Promise<Answer<UnreserveResult[]>>;
  check(...items: CheckItem[]): Promise<Answer<CheckResult[]>>;
  active(query?: string): Promise<Answer<ActiveReservation[]>>;
  available(resource: string): Promise<Answer<boolean>>;
}

export function createClient(url: string, key: string): Client {
  const request = async <Body>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<Body>> => {
    const response = await fetch(url + path, {
      method,
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
    check: (...items) => request('POST', '/api/v1/Reservation/check', items),
    active: (query = '') => request('GET', `/api/v1/Reservation/activeReservations${query}`),
    available: (resource) => request('GET', `/api/v1/Resource/available/${encodeURIComponent(resource)}`),
  };
}
