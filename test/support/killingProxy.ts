/** A proxy before the service that calls back at a certain request: before it is passed on, or after its response. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Point {
  /** Part of the path: `/Reservation/renew`. */
  readonly path: string;
  /** A request of this path counts only if its response has this text. */
  readonly response?: string;
  readonly when: 'before' | 'after';
}

export interface KillingProxy {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * @param target the URL of an instance
 * @param point undefined: all requests pass
 * @param kill called once. The request gets no response.
 */
export async function startKillingProxy(
  target: string,
  point: Point | undefined,
  kill: () => void,
): Promise<KillingProxy> {
  const server = createServer(async (request, response) => {
    const { url = '', method = 'GET', headers } = request;
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const body = await text(request).catch(() => null);
    if (body === null) return; // The caller has gone.
    const isHere = point !== undefined && url.includes(point.path);
    if (isHere && point.when === 'before') return kill();
    const passed = ['x-api-key', 'content-type', 'idempotency-key', 'prefer'].flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value] as [string, string]] : [];
    });
    const options = { method, headers: passed, signal: gone.signal, ...(body === '' ? {} : { body }) };
    const answer = await fetch(target + url, options).catch(() => undefined);
    const answered = await answer?.text().catch(() => undefined);
    if (answer === undefined || answered === undefined) return void request.socket.destroy();
    if (isHere && answered.includes(point.response ?? '')) return kill();
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answered);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
