/**
 * One HTTP request and its response: the key, a timeout, JSON, and typed errors. Nothing is repeated here, and no error
 * has the key.
 */
import { HoldfastError, invalid } from '../errors.ts';
import type { HoldfastOptions } from '../types.ts';
import { Closing, textOf } from './body.ts';
import { errorOf, unreachable } from './failures.ts';
import { Retries } from './retries.ts';
import { FOLLOWS_NOTHING, transportTo } from './transport.ts';
import { watched } from './watched.ts';

/** Where the service is, who calls, and how long a call is repeated. */
export type Endpoint = Omit<HoldfastOptions, 'requester'>;

export interface Outgoing {
  readonly method: string;
  /** Below `/api/v1`, with its query. */
  readonly path: string;
  /** JSON. */
  readonly body?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** True if results may leave out what the caller knows itself. */
  readonly minimal?: boolean | undefined;
  /** After this many ms without the whole response, the connection counts as lost. */
  readonly timeoutMs: number;
  /** True if the response may have any length: `timeoutMs` is the longest pause within it, then. */
  readonly isLong?: boolean | undefined;
  /** Closes the connection: the exchange fails with its reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface Incoming {
  readonly body: unknown;
  /** The `performance.now()` at which the request was sent. */
  readonly sentAt: number;
}

export interface Exchange {
  readonly retries: Retries;
  /** @throws HoldfastError unless the status is 200 or 201, or the body is an array of results; UNREACHABLE */
  send(outgoing: Outgoing): Promise<Incoming>;
  /**
   * Returns as soon as the body begins.
   * @param signal until then. Who reads the body cancels it: runtimes forget the signal of a response at times
   * @throws as send(); the reason of the signal
   */
  open(path: string, timeoutMs: number, signal?: AbortSignal): Promise<Response>;
}

/** Anything else would make fetch fail, with the key in its message. */
const KEY = /^[\x21-\x7e]+$/;

/** @throws HoldfastError INVALID_OPTION */
export function createExchange({ url, key, retryFor, onRetry }: Endpoint): Exchange {
  const base = baseOf(url);
  const transport = transportTo(base);
  if (typeof key !== 'function') checkKey(key);

  async function currentKey(refused?: string): Promise<string> {
    try {
      return typeof key === 'function' ? checkKey(await key(refused)) : key;
    } catch (cause) {
      throw cause instanceof HoldfastError ? cause : invalid('The function key failed', cause);
    }
  }

  /** @param send sends the request with a key */
  async function ask<Got extends { readonly status: number }>(send: (key: string) => Promise<Got>) {
    const value = typeof key === 'string' ? key : await currentKey();
    const sentAt = performance.now();
    const response = await send(value);
    if (response.status !== 401 || typeof key === 'string') return { response, sentAt };
    // Rotated since the function was asked?
    const next = await currentKey(value);
    if (next === value) return { response, sentAt };
    const againAt = performance.now();
    return { response: await send(next), sentAt: againAt };
  }

  /** @param carry sends the request and reads the response */
  async function within<Taken>(
    timeoutMs: number,
    signal: AbortSignal | undefined,
    carry: (closing: Closing) => Promise<Taken>,
  ): Promise<Taken> {
    const closing = new Closing(timeoutMs, signal);
    try {
      return await carry(closing);
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof HoldfastError ? error : unreachable(error, closing.timedOut);
    } finally {
      closing.dispose();
    }
  }

  return {
    retries: new Retries(retryFor, onRetry),
    send({ method, path, body = null, idempotencyKey, minimal, timeoutMs, isLong, signal }) {
      return within(timeoutMs, signal, async (closing) => {
        const { response, sentAt } = await ask((value) => {
          const headers = credential(value);
          if (body !== null) headers['Content-Type'] = 'application/json';
          if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
          if (minimal) headers.Prefer = 'return=minimal';
          return watched(path, transport(path, { method, headers, body }, closing, isLong));
        });
        const answered = parsed(response.text);
        if (response.status === 200 || response.status === 201 || Array.isArray(answered))
          return { body: answered, sentAt };
        throw errorOf(response, answered);
      });
    },

    open: (path, timeoutMs, signal) =>
      within(timeoutMs, signal, async (closing) => {
        const { response } = await ask((value) => {
          const init = { ...FOLLOWS_NOTHING, headers: credential(value), signal: closing.signal };
          return watched(path, fetch(base + path, init));
        });
        const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream');
        if (response.status === 200 && isStream) return response;
        throw errorOf(response, parsed(await textOf(response, closing)));
      }),
  };
}

/** The header of a key, or of a management token, which the service takes only as a bearer token. */
const credential = (value: string): Record<string, string> =>
  value.startsWith('hfm_') ? { Authorization: `Bearer ${value}` } : { 'X-Api-Key': value };

function checkKey(key: unknown): string {
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw invalid('key must be a non-empty line of ASCII');
}

function baseOf(url: string): string {
  // fetch refuses a user and password, with both of them in its message.
  const { protocol, username, password, origin, pathname } = new URL(URL.canParse(url) ? url : 'none:');
  const path = pathname.replace(/\/+$/, '');
  if (path.endsWith('/api/v1'))
    throw invalid('url (HOLDFAST_URL) must end before /api/v1: https://holdfast.example.com');
  if (/^https?:$/.test(protocol) && username + password === '') return `${origin}${path}/api/v1`;
  throw invalid('url must begin with https:// or http://, and name no user: https://holdfast.example.com');
}

/** Parses a body as JSON. Undefined if it is none: a page of a proxy. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
