/** Sends one request over connections that are kept, and says what came of it. */
import { type Agent, request } from 'undici';
import type { CallOf, Verb } from '../history.ts';
import { PLAIN } from '../things.ts';
import type { Caller } from './caller.ts';
import { holdAndRelease, lease, take } from './holding.ts';

export interface Ask {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export type Answer =
  | { readonly status: number; readonly text: string; readonly headers: Readonly<Record<string, unknown>> }
  /** No whole response came; `text` says why. */
  | { readonly status: null; readonly text: string };

/**
 * Sends a request. It is sent once: it is not repeated where a connection breaks.
 * @param withinMs it is given up, and its connection closed, after so many ms
 */
export async function send(agent: Agent, { url, method, headers, body }: Ask, withinMs: number): Promise<Answer> {
  try {
    const response = await request(url, {
      dispatcher: agent,
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(withinMs),
    });
    return { status: response.statusCode, text: await response.body.text(), headers: response.headers };
  } catch (error) {
    return { status: null, text: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}

/** HTTP form of each verb: its method, its path and its body. */

export type Requests = { readonly [V in Verb]: CallOf<V>['request'] };

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below /api/v1. */
  readonly path: string;
  readonly body?: unknown;
}

const get = (path: string): Route => ({ method: 'GET', path });
const post = (path: string, body?: unknown): Route => ({ method: 'POST', path, body });

/** Leaves out the resource of an item that has a match: it stands for the match in what is recorded. */
const asked = <Item extends object>(item: Item): object => {
  if (!('match' in item) || item.match === undefined) return item;
  const { resource: _, ...rest } = { resource: '', ...item };
  return rest;
};

export const ROUTES: { readonly [V in Verb]: (request: Requests[V]) => Route } = {
  reserve: (items) => post('/Reservation/reserve', items.map(asked)),
  unreserve: (items) => post('/Reservation/unreserve', items),
  renew: (items) => post('/Reservation/renew', items),
  transaction: ({ requests, ...rest }) => post('/Reservation/transaction', { ...rest, requests: requests.map(asked) }),
  cancel: (items) => post('/Reservation/cancel', items),
  beginSession: (session) => post('/Session', session),
  renewSession: (proof) => post('/Session/renew', proof),
  endSession: (proof) => post('/Session/end', proof),
  book: (bookings) => post('/Booking', bookings),
  cancelBooking: (booking) => ({ method: 'DELETE', path: `/Booking/${booking}` }),
  register: (items) => post('/Resource/register', items),
  delete: (name) => ({ method: 'DELETE', path: `/Resource/${encodeURIComponent(name)}` }),
  reset: () => post('/Reservation/reset'),
  active: (resource) =>
    get(`/Reservation/activeReservations${resource === '' ? '' : `?resource=${encodeURIComponent(resource)}`}`),
  available: (resource) => get(`/Resource/available/${encodeURIComponent(resource)}`),
  check: (items) => post('/Reservation/check', items),
  waiting: () => get('/Reservation/waiting'),
  past: ({ resource }) => get(`/Reservation/history?resource=${encodeURIComponent(resource)}`),
};

/** Reserves, holds and releases names of one slot. */

/** Reserves a name, holds it for a moment and gives it back. */
export async function plain(caller: Caller): Promise<void> {
  const item = { resource: caller.random.pick(PLAIN), requester: caller.requester(), ...lease(caller) };
  await holdAndRelease(caller, await take(caller, item));
}
