/**
 * One HTTP request and its response: the key, a timeout, JSON, and typed errors. Nothing is repeated here, and no error
 * has the key.
 */
import { HoldfastError, invalid } from '../errors.ts';
import type { HoldfastOptions } from '../types.ts';
import { type Closing, closeAfter, textIn } from './body.ts';
import { errorOf, unreachable } from './failures.ts';
import { Retries } from './retries.ts';

/** Where the service is, who calls, and how long a call is repeated. */
export type Endpoint = Omit<HoldfastOptions, 'requester'>;

export interface Outgoing {
  readonly method: string;
  /** Below `/api/v1`, with its query. */
  readonly path: string;
  /** JSON. */
  readonly body?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Whether results may leave out what the caller knows itself. */
  readonly minimal?: boolean | undefined;
  /** After this many ms without the whole response, the connection counts as lost. */
  readonly timeoutMs: number;
  /** Whether the response may have any length: `timeoutMs` is the longest pause within it, then. */
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

/**
 * A redirect could carry the key to another host. With these two, fetch also keeps no copy of the body for one, which
 * takes a third of Node's time for a small request.
 */
const FOLLOWS_NOTHING = { redirect: 'error', window: null } as const;

/** @throws HoldfastError INVALID_OPTION */
export function createExchange({ url, key, retryFor, onRetry }: Endpoint): Exchange {
  const base = baseOf(url);
  if (typeof key !== 'function') checkKey(key);

  async function currentKey(): Promise<string> {
    try {
      return typeof key === 'function' ? checkKey(await key()) : key;
    } catch (cause) {
      throw cause instanceof HoldfastError ? cause : invalid('The function key failed', cause);
    }
  }

  async function ask(init: RequestInit & { headers: Record<string, string> }, path: string) {
    const askWith = async (value: string) => {
      init.headers['X-Api-Key'] = value;
      const sentAt = performance.now();
      return { response: await fetch(base + path, init), sentAt };
    };
    const value = await currentKey();
    const asked = await askWith(value);
    if (asked.response.status !== 401 || typeof key === 'string') return asked;
    // Rotated since the function was asked?
    const next = await currentKey();
    return next === value ? asked : askWith(next);
  }

  /** @param take reads the response */
  async function exchange<Taken>(
    path: string,
    { headers = {}, ...init }: RequestInit & { headers?: Record<string, string> },
    [timeoutMs, signal]: [timeoutMs: number, signal: AbortSignal | undefined],
    take: (response: Response, closing: Closing, sentAt: number) => Promise<Taken>,
  ): Promise<Taken> {
    const closing = closeAfter(timeoutMs, signal);
    try {
      const asked = await ask({ ...FOLLOWS_NOTHING, ...init, headers, signal: closing.signal }, path);
      return await take(asked.response, closing, asked.sentAt);
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
      const headers: Record<string, string> = {};
      if (body !== null) headers['Content-Type'] = 'application/json';
      if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
      if (minimal) headers.Prefer = 'return=minimal';
      return exchange(path, { method, headers, body }, [timeoutMs, signal], async (response, closing, sentAt) => {
        const answered = await read(response, closing, isLong);
        if (response.status === 200 || response.status === 201 || Array.isArray(answered))
          return { body: answered, sentAt };
        throw errorOf(response, answered);
      });
    },

    open: (path, timeoutMs, signal) =>
      exchange(path, {}, [timeoutMs, signal], async (response, closing) => {
        const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream');
        if (response.status === 200 && isStream) return response;
        throw errorOf(response, await read(response, closing));
      }),
  };
}

function checkKey(key: unknown): string {
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw invalid('key must be a non-empty line of ASCII');
}

function baseOf(url: string): string {
  // fetch refuses a user and password, with both of them in its message.
  const { protocol, username, password, origin, pathname } = new URL(URL.canParse(url) ? url : 'none:');
  const path = pathname.replace(/\/+$/, '');
  if (path.endsWith('/api/v1'))
    throw invalid('url (HOLDFAST_URL) ends before /api/v1, as in https://holdfast.example.com');
  if (/^https?:$/.test(protocol) && username + password === '') return `${origin}${path}/api/v1`;
  throw invalid('url must be an address without a user, such as https://holdfast.example.com');
}

/** Reads a body as JSON. Undefined if it is none: a page of a proxy. */
async function read(response: Response, closing: Closing, isLong = false): Promise<unknown> {
  let text = '';
  for await (const part of textIn(response, closing, isLong)) text += part;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
