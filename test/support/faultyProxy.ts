/** A proxy before the service that makes requests fail as networks and instances do, and records them. */
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/**
 * - `drop`: closes the connection; the service never sees the request
 * - `lose`: closes the connection after the service has carried it out
 * - `cut`: the same in the middle of the response
 * - `hang`: never answers
 * - an event: passes it on once that has happened
 * - `answeredAfter`: passes it on at once, and the response once that has happened
 * - a response instead of the service's
 */
export type Fault =
  | 'drop'
  | 'lose'
  | 'cut'
  | 'hang'
  | 'pass'
  | Promise<unknown>
  | { readonly answeredAfter: Promise<unknown> }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown };

export interface Noted {
  /** Without `/api/v1`. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** `performance.now()` */
  readonly at: number;
  /** True if the caller closed the connection before there was a response. */
  isGone: boolean;
}

export interface FaultyProxy {
  readonly url: string;
  readonly noted: Noted[];
  /** Where requests go. */
  target: string;
  /** The fate of the next requests, one each; those after them pass. */
  next(...faults: Fault[]): void;
  stop(): Promise<void>;
}

/** @param target the URL of an instance */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const faults: Fault[] = [];
  const server = createServer(async (request, response) => {
    const fault = faults.shift() ?? 'pass';
    const { url = '', method = 'GET', headers } = request;
    const body = await text(request).catch(() => null);
    if (body === null) return; // The caller has gone.
    const noted: Noted = { path: url.replace('/api/v1', ''), headers, body, at: performance.now(), isGone: false };
    proxy.noted.push(noted);
    response.on('close', () => {
      noted.isGone ||= !response.writableEnded;
    });
    if (fault === 'hang') return;
    if (fault === 'drop') return void request.socket.destroy();
    if (fault instanceof Promise) await fault;
    if (typeof fault === 'object' && 'status' in fault) {
      const type = typeof fault.body === 'string' ? 'text/html' : 'application/json';
      response.writeHead(fault.status, { 'Content-Type': type, ...fault.headers });
      response.end(typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body));
      return;
    }
    const passed = ['x-api-key', 'content-type', 'idempotency-key', 'prefer'].flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value] as [string, string]] : [];
    });
    const answer = await fetch(proxy.target + url, { method, headers: passed, ...(body === '' ? {} : { body }) }).catch(
      () => undefined,
    );
    const answered = await answer?.text().catch(() => undefined);
    if (typeof fault === 'object' && 'answeredAfter' in fault) await fault.answeredAfter;
    if (fault === 'lose' || answer === undefined || answered === undefined) return void request.socket.destroy();
    const kept = [...answer.headers].filter(([name]) => !/^(content-length|connection|keep-alive)$/.test(name));
    const head = Object.fromEntries(kept);
    if (fault !== 'cut') return void response.writeHead(answer.status, head).end(answered);
    response.writeHead(answer.status, { ...head, 'Content-Length': answered.length });
    response.write(answered.slice(0, answered.length / 2), () => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const proxy: FaultyProxy = {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    noted: [],
    target,
    next: (...more) => void faults.push(...more),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
