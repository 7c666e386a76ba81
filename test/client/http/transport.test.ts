/** Requests leave the process over `node:http` on Node, over `fetch` where a program has replaced it. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Holdfast } from '../../../packages/client/src/index.ts';

let server: Server;
let url: string;
let seen: IncomingHttpHeaders[] = [];
const sockets = new Set<unknown>();
let answer = (response: ServerResponse): void => void response.end('[]');
beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(request.headers);
    sockets.add(request.socket);
    request.resume().on('end', () => answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});
afterEach(() => {
  vi.restoreAllMocks();
  answer = (response) => void response.end('[]');
  seen = [];
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const client = (options = {}) => new Holdfast({ url, key: 'k', retryFor: 0, ...options });

describe('on Node, requests', () => {
  it('do not go through fetch, which takes more CPU', async () => {
    await client().active();
    expect(seen).toMatchObject([{ 'x-api-key': 'k' }]);
    // Node's fetch sends it with each request.
    expect(seen[0]).not.toHaveProperty('sec-fetch-mode');
  });

  it('go through a fetch that the program has put in its place', async () => {
    const fetches = vi.spyOn(globalThis, 'fetch');
    await client().active();
    expect(fetches).toHaveBeenCalledOnce();
    expect(seen).toHaveLength(1);
  });

  it('share a connection, one after the other', async () => {
    sockets.clear();
    const one = client();
    for (let i = 0; i < 5; i++) await one.active();
    expect(sockets.size).toBe(1);
  });
});

describe.each([
  ['node:http', () => {}],
  ['a replaced fetch', () => vi.spyOn(globalThis, 'fetch')],
])('over %s', (_, prepare) => {
  it('a redirect is not followed: the key would go to another host', async () => {
    prepare();
    answer = (response) => void response.writeHead(307, { Location: `${url}/elsewhere` }).end();
    await expect(client().active()).rejects.toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
      message: expect.stringContaining('url redirects elsewhere'),
    });
    expect(seen).toHaveLength(1);
  });

  it('a connection that breaks off in a response is UNREACHABLE', async () => {
    prepare();
    answer = (response) => {
      response.writeHead(200, { 'Content-Length': 100 }).write('[');
      setTimeout(() => response.destroy(), 20);
    };
    await expect(client().active()).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });

  it('text of several bytes a character arrives whole, wherever its parts end', async () => {
    prepare();
    const bytes = Buffer.from(JSON.stringify([{ resource: 'Ä€😀' }]));
    answer = (response) => {
      response.writeHead(200, { 'Content-Length': bytes.length });
      for (const [i, byte] of bytes.entries()) setTimeout(() => response.write(Buffer.of(byte)), 2 * i);
    };
    expect(await client().active()).toEqual([{ resource: 'Ä€😀' }]);
  });
});
