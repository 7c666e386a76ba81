/** How each verb travels: its method, its path and its body. */
import type { CallOf, Verb } from '../history.ts';

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
