/**
 * Sends a request and reads its whole response: with `fetch`, or on Node with `node:http`, which takes a third of the
 * CPU there. A `fetch` that a program has put in the place of Node's own (a proxy, a test) is used as it is.
 */
import { unexpected } from '../errors.ts';
import { type Closing, MAX_BODY, textOf } from './body.ts';

export interface Init {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

/** The part of a response that errors are made from. */
export interface Head {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}

export interface Whole extends Head {
  readonly text: string;
}

/**
 * A redirect could carry the key to another host. With these two, fetch also keeps no copy of the body for one, which
 * takes a third of Node's time for a small request.
 */
export const FOLLOWS_NOTHING = { redirect: 'error', window: null } as const;

/** Parts of `node:http` and `node:https` that this file uses. The library runs in browsers, so nothing imports them. */
interface Http {
  readonly Agent: new (options: { readonly keepAlive: boolean; readonly timeout: number }) => object;
  request(options: object): Outgoing;
}
interface Emitter {
  on(event: 'response', listener: (response: Incoming) => void): this;
  on(event: 'data', listener: (text: string) => void): this;
  on(event: 'error', listener: (error: Error) => void): this;
  on(event: 'end', listener: () => void): this;
}
interface Outgoing extends Emitter {
  end(body?: string): void;
  destroy(): void;
}
interface Incoming extends Emitter {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  setEncoding(encoding: 'utf8'): void;
}

/** Of Node, Bun and Deno; pages have none, or one without these, from their bundler. */
declare const process:
  | {
      readonly versions?: Readonly<Record<string, string>>;
      getBuiltinModule?(name: 'node:http' | 'node:https'): Http | undefined;
    }
  | undefined;

const REDIRECT = /^30[12378]$/;

const isNode = typeof process !== 'undefined' && process.versions?.node !== undefined && !('Bun' in globalThis);
const ownFetch = globalThis.fetch;
/** The longest pause between two requests on a connection, in ms; the service may ask for a shorter one. */
const IDLE_MS = 60_000;

/**
 * @param url the beginning of all addresses
 * @returns sends requests to paths below it. `isLong`: as in Outgoing
 */
export function transportTo(
  url: string,
): (path: string, init: Init, closing: Closing, isLong?: boolean) => Promise<Whole> {
  const name = url.startsWith('https:') ? 'node:https' : 'node:http';
  // Deno has a `node:http`, too: over its fetch.
  const http = isNode && !('Deno' in globalThis) ? process?.getBuiltinModule?.(name) : undefined;
  const agent = http && new http.Agent({ keepAlive: true, timeout: IDLE_MS });
  // Node would parse the address with each request.
  const { protocol, hostname, port, pathname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return async (path, init, closing, isLong = false) => {
    if (http !== undefined && globalThis.fetch === ownFetch) {
      const { method, headers, body } = init;
      const options = { protocol, host, port, path: pathname + path, method, headers, agent };
      return withNode(http.request(options), body, closing, isLong);
    }
    const response = await fetch(url + path, { ...FOLLOWS_NOTHING, ...init, signal: closing.signal });
    const { status, headers } = response;
    return { status, headers, text: await textOf(response, closing, isLong) };
  };
}

function withNode(request: Outgoing, body: string | null, closing: Closing, isLong: boolean): Promise<Whole> {
  closing.whenClosed(() => request.destroy());
  return new Promise((resolve, reject) => {
    // As errors of fetch: they say why in their cause.
    const fail = (cause: Error) => reject(new Error('The connection failed', { cause }));
    request.on('error', fail).on('response', (response) => {
      const { statusCode: status, headers } = response;
      let text = '';
      response.setEncoding('utf8');
      response.on('error', fail).on('data', (part) => {
        text += part;
        if (isLong) return closing.start();
        if (text.length <= MAX_BODY) return;
        reject(unexpected());
        request.destroy();
      });
      response.on('end', () => {
        if (REDIRECT.test(String(status))) return fail(new Error('unexpected redirect'));
        resolve({ status, headers: { get: (name) => headers[name.toLowerCase()] ?? null }, text });
      });
    });
    request.end(body ?? undefined);
  });
}
