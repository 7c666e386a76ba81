/**
 * A push service (RFC 8030) on this machine, which is strict: it takes only encrypted messages with a TTL, of a sender
 * whose token is signed with the key that its browsers have subscribed with, and for this service (RFC 8292).
 */
import { createServer, type IncomingMessage } from 'node:http';
import { importJWK, jwtVerify } from 'jose';
import { decrypt, makeBrowser, type PushBrowser } from './pushBrowser.ts';

/** A message that a browser would get. */
export interface Pushed {
  readonly text: string;
  readonly ttlS: number;
  readonly urgency: string;
}

export interface PushService {
  readonly origin: string;
  /** Makes a browser that has subscribed. */
  subscribe(): PushBrowser;
  /** The messages that the service took for a browser. */
  of(browser: PushBrowser): readonly Pushed[];
  /** Answers a browser's later messages with another status than 201; null: with nothing at all */
  answer(browser: PushBrowser, status: number | null): void;
  /** Number of requests that wait for an answer. */
  waiting(): number;
  stop(): Promise<void>;
}

/** @param key the public key of the sender, in base64url */
export async function startPushService(key: string): Promise<PushService> {
  const browsers = new Map<string, { browser: PushBrowser; status: number | null; got: Pushed[] }>();
  let waiting = 0;
  let origin = '';
  const server = createServer(async (request, response) => {
    const found = browsers.get(request.url ?? '');
    if (found === undefined || request.method !== 'POST') return response.writeHead(404).end();
    if (found.status === null) return waiting++;
    if (found.status !== 201) return response.writeHead(found.status).end();
    const fault = await faultOf(request, origin, key);
    if (fault !== null) return response.writeHead(400).end(fault);
    const chunks = await request.toArray();
    const text = decrypt(found.browser, Buffer.concat(chunks));
    const { ttl, urgency } = request.headers;
    found.got.push({ text, ttlS: Number(ttl), urgency: String(urgency) });
    return response.writeHead(201).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const pathOf = ({ target }: PushBrowser) => new URL(target.endpoint).pathname;
  return {
    origin,
    subscribe: () => {
      const browser = makeBrowser(`${origin}/${browsers.size}`);
      browsers.set(pathOf(browser), { browser, status: 201, got: [] });
      return browser;
    },
    of: (browser) => browsers.get(pathOf(browser))?.got ?? [],
    answer: (browser, status) => {
      const found = browsers.get(pathOf(browser));
      if (found !== undefined) found.status = status;
    },
    waiting: () => waiting,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns what is wrong with a request; null: nothing */
async function faultOf({ headers }: IncomingMessage, origin: string, key: string): Promise<string | null> {
  if (headers['content-encoding'] !== 'aes128gcm') return 'it is not encrypted';
  if (!/^\d+$/.test(String(headers.ttl))) return 'it has no TTL';
  const [, token = '', of] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? '') ?? [];
  if (of !== key) return 'the sender is another';
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const publicKey = await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256');
  const isSigned = await jwtVerify(token, publicKey, { audience: origin }).then(
    () => true,
    () => false,
  );
  return isSigned ? null : 'the token is wrong';
}
