/**
 * Requests to receivers of tenants' choice: what a receiver can do with them
 * (docs/specification.md#addresses-of-tenants).
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ClientRequest, createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { get, post } from '../../src/outgoing/request.ts';
import { until } from '../support/until.ts';

/** What Node tells of a request. */
const Started = z.object({ request: z.instanceof(ClientRequest) });
const OPEN = { allowPrivate: true, allowHttp: true };
const CLOSED = { allowPrivate: false, allowHttp: true };

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) server.close();
});

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function receiver(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  opened.push({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return `http://127.0.0.1:${await portOf(server)}`;
}

/** A receiver that writes what it wants to. */
async function rawReceiver(talk: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket.on('error', () => {}).resume());
    talk(socket);
  });
  opened.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return `http://127.0.0.1:${await portOf(server)}`;
}

const send = (url: string, more: object = {}) => post(url, { body: '{}', rules: OPEN, ...more });

describe('a POST', () => {
  test('has the given body and headers, and returns the status and Retry-After', async () => {
    const got: unknown[] = [];
    const url = await receiver((request, response) => {
      request.on('data', (chunk) => got.push(request.method, request.headers['x-id'], String(chunk)));
      request.on('end', () => response.writeHead(503, { 'Retry-After': '7' }).end('busy'));
    });
    const answer = await post(url, { body: '{"é":1}', headers: { 'X-Id': 'a' }, rules: OPEN });
    expect(answer).toEqual({ status: 503, retryAfterMs: 7000, body: '', isWhole: false });
    expect(got).toEqual(['POST', 'a', '{"é":1}']);
  });

  test.each([
    ['a date', () => new Date(Date.now() + 60_000).toUTCString(), 60_000],
    ['a time that is over', () => 'Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['nonsense', () => 'soon', null],
  ])('reads a Retry-After with %s', async (_, header, expected) => {
    const url = await receiver((_request, response) => response.writeHead(429, { 'Retry-After': header() }).end());
    const { retryAfterMs } = await send(url);
    if (expected === 60_000) expect(Math.abs((retryAfterMs ?? 0) - expected)).toBeLessThan(5000);
    else expect(retryAfterMs).toBe(expected);
  });

  test('keeps the start of the body if it is asked to', async () => {
    const url = await receiver((_, response) => response.end('0123456789'));
    expect(await send(url, { keepBytes: 10 })).toMatchObject({ body: '0123456789', isWhole: true });
    expect(await send(url, { keepBytes: 4 })).toMatchObject({ body: '0123', isWhole: false });
  });

  test('follows no redirect', async () => {
    let followed = false;
    const elsewhere = await receiver((_, response) => {
      followed = true;
      response.end();
    });
    const url = await receiver((_, response) => response.writeHead(307, { Location: elsewhere }).end());
    expect(await send(url)).toMatchObject({ status: 307 });
    expect(followed).toBe(false);
  });

  test.each(['http_proxy', 'HTTP_PROXY', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'])(
    'takes no proxy from %s',
    async (name) => {
      let asked = false;
      const proxy = await receiver((_, response) => {
        asked = true;
        response.writeHead(502).end();
      });
      vi.stubEnv('NODE_USE_ENV_PROXY', '1');
      vi.stubEnv(name, name === 'NODE_USE_ENV_PROXY' ? '1' : proxy);
      try {
        expect(await send(await receiver((_, response) => response.end()))).toMatchObject({ status: 200 });
        expect(asked).toBe(false);
      } finally {
        vi.unstubAllEnvs();
      }
    },
  );
});

describe('a bad receiver', () => {
  test('that never answers takes as long as the caller allows', async () => {
    const url = await rawReceiver(() => {});
    const began = performance.now();
    const refused = send(url, { signal: AbortSignal.timeout(100) });
    await expect(refused).rejects.toThrow('There was no response in time.');
    // A request ends by itself after 10 s.
    expect(performance.now() - began).toBeLessThan(9000);
  });

  test('that sends one header after the other gets no more than 16 KiB', async () => {
    const url = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      for (let line = 0; line < 1000; line++) socket.write(`X-${line}: ${'x'.repeat(100)}\r\n`);
    });
    await expect(send(url)).rejects.toThrow('The headers of the response are too long.');
  });

  test('that answers 103 without an end is cut off', async () => {
    let isClosed = false;
    const url = await rawReceiver((socket) => {
      const flood = () => {
        while (!isClosed && socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)));
      };
      socket.on('drain', flood).on('close', () => {
        isClosed = true;
      });
      flood();
    });
    await expect(send(url)).rejects.toThrow('The response does not begin.');
    await until('the connection is closed', () => isClosed);
  });

  test('that answers 103 many times at once has few of them parsed', async () => {
    let parsed = 0;
    const count = (message: unknown) => Started.parse(message).request.on('information', () => parsed++);
    subscribe('http.client.request.start', count);
    const url = await rawReceiver((socket) => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2000)));
    await expect(send(url)).rejects.toThrow('The response does not begin.');
    unsubscribe('http.client.request.start', count);
    expect(parsed).toBeLessThan(100);
  });

  test('that sends an endless body gets no more than 1 s or 16 KiB of it, and its status counts', async () => {
    let sent = 0;
    let isClosed = false;
    const url = await receiver((_, response) => {
      response.writeHead(200).on('close', () => {
        isClosed = true;
      });
      const write = () => {
        sent += 65_536;
        if (response.write(Buffer.alloc(65_536))) setImmediate(write);
        else response.once('drain', write);
      };
      write();
    });
    expect(await send(url)).toMatchObject({ status: 200 });
    await until('the connection is closed', () => isClosed);
    // The rest was in buffers of the two ends.
    expect(sent).toBeLessThan(16_777_216);
  });

  test('that says less than it promised is cut off after a second', async () => {
    let isClosed = false;
    const url = await rawReceiver((socket) => {
      socket.on('close', () => {
        isClosed = true;
      });
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
    });
    expect(await send(url)).toMatchObject({ status: 200 });
    await until('the connection is closed', () => isClosed);
  });

  test.each<[string, (socket: Socket) => void, string]>([
    ['that closes the connection', (socket) => socket.end(), 'The connection was closed before the response.'],
    ['that speaks something else', (socket) => socket.end('220 mail.example ESMTP\r\n'), 'The response is not HTTP.'],
    [
      'that switches protocols',
      (socket) => socket.end('HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      'The response is not HTTP.',
    ],
  ])('%s', async (_, talk, message) => {
    const refused = send(await rawReceiver((socket) => socket.once('data', () => talk(socket))));
    await expect(refused).rejects.toThrow(message);
  });

  test('that nobody runs, and one without TLS', async () => {
    await expect(send('http://127.0.0.1:1/')).rejects.toThrow('The connection was refused.');
    const url = await receiver((_, response) => response.end());
    await expect(send(url.replace('http:', 'https:'))).rejects.toThrow('The host does not speak TLS.');
  });
});

describe('a private receiver is never connected to', () => {
  test('by its number or by its name, whose addresses are all checked', async () => {
    let connections = 0;
    const url = new URL(await rawReceiver(() => connections++));
    for (const host of ['127.0.0.1', 'localhost', hostname(), '[::ffff:127.0.0.1]', '[64:ff9b::127.0.0.1]']) {
      const refused = post(`http://${host}:${url.port}/`, { body: '', rules: CLOSED });
      await expect(refused).rejects.toThrow(/private address|no address/);
    }
    expect(connections).toBe(0);
  });

  test('names of this machine lead to it if the configuration allows private addresses', async () => {
    const { port } = new URL(await receiver((_, response) => response.end('here')));
    expect(await get(`http://localhost:${port}/`, { rules: OPEN, keepBytes: 10 })).toMatchObject({ body: 'here' });
  });
});

test('messages of faults have no address', async () => {
  const faults = ['http://127.0.0.1:1/secret', 'http://no-such-host.invalid/secret', 'http://10.0.0.1/secret'].map(
    (url) => post(url, { body: '', rules: CLOSED }).catch(String),
  );
  for (const fault of await Promise.all(faults)) expect(fault).not.toMatch(/127|10\.0|invalid|secret/);
});
