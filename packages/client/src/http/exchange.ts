/**
 * One HTTP request and its response: the key, a timeout, JSON, and typed errors. Nothing is repeated here, and no error
 * has the key.
 */
import { HoldfastError } from '../errors.ts';
import type { HoldfastOptions } from '../types.ts';
import { errorOf, unreachable } from './failures.ts';

/** Where the service is, and who calls. */
export type Endpoint = Pick<HoldfastOptions, 'url' | 'key'>;

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
  /** Closes the connection: the exchange fails with its reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface Incoming {
  readonly body: unknown;
  /** The `performance.now()` at which the request was sent. */
  readonly sentAt: number;
}

export interface Exchange {
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
export function createExchange({ url, key }: Endpoint): Exchange {
  const base = baseOf(url);

  async function currentKey(): Promise<string> {
    let value: string;
    try {
      value = typeof key === 'string' ? key : await key();
    } catch (cause) {
      throw new HoldfastError('UNREACHABLE', 'The function that returns the key failed', { cause });
    }
    if (KEY.test(value)) return value;
    throw new HoldfastError('INVALID_OPTION', 'key must be visible ASCII characters');
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

  return {
    send({ method, path, body, idempotencyKey, minimal, timeoutMs, signal: other }) {
      const headers: Record<string, string> = {};
      if (body !== undefined) headers['Content-Type'] = 'application/json';
      if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
      if (minimal) headers.Prefer = 'return=minimal';
      return within(timeoutMs, other, async (signal) => {
        const { response, sentAt } = await ask(
          { ...FOLLOWS_NOTHING, method, headers, body: body ?? null, signal },
          path,
        );
        const answered = parse(await response.text());
        if (response.status === 200 || response.status === 201 || Array.isArray(answered))
          return { body: answered, sentAt };
        throw errorOf(response, answered);
      });
    },

    open: (path, timeoutMs, other) =>
      within(timeoutMs, other, async (signal) => {
        const { response } = await ask({ ...FOLLOWS_NOTHING, headers: {}, signal }, path);
        if (response.status === 200) return response;
        throw errorOf(response, parse(await response.text()));
      }),
  };
}

/**
 * Fails after some ms, or when a signal aborts. Listens to that itself: runtimes forget combined signals at times.
 * @param work takes a signal that aborts then, until the work is done
 */
async function within<Result>(
  ms: number,
  other: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  other?.throwIfAborted();
  const closing = new AbortController();
  const close = () => closing.abort();
  const timer = setTimeout(close, ms);
  other?.addEventListener('abort', close);
  try {
    return await work(closing.signal);
  } catch (error) {
    other?.throwIfAborted();
    throw error instanceof HoldfastError ? error : unreachable(error, closing.signal.aborted ? ms : undefined);
  } finally {
    clearTimeout(timer);
    other?.removeEventListener('abort', close);
  }
}

function baseOf(url: string): string {
  const { protocol, username, password, origin, pathname } = URL.canParse(url) ? new URL(url) : new URL('none:');
  // fetch refuses a user and password, with both of them in its message.
  if (/^https?:$/.test(protocol) && username + password === '')
    return `${origin}${pathname.replace(/\/+$/, '')}/api/v1`;
  throw new HoldfastError(
    'INVALID_OPTION',
    'url must be an address without a user, such as https://holdfast.example.com',
  );
}

/** Undefined if it is not JSON: a page of a proxy. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
