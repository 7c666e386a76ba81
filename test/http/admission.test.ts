/**
 * Requests start together with those that arrive at the same time, and with the bodies that came with them.
 */
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAdmittingServer } from '../../src/http/admission/admission.ts';
import { Arrivals } from '../../src/http/admission/arrivals.ts';
import type { Incoming } from '../../src/http/admission/incoming.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { MAX_IN_FLIGHT, start } from '../support/caller.ts';
import type { InstanceProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

const steps: string[] = [];
const listener = (request: Incoming, response: ServerResponse) => {
  const body = request.rawBody?.toString() ?? 'no body';
  steps.push(`${body} starts`);
  queueMicrotask(() => steps.push(`${body} goes on`));
  response.end('{}');
};
const log = createLogger('silent');
const server = createAdmittingServer(listener, { maxInFlight: 100, trustedProxies: 0, log, metrics: null });
const port = () => {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

beforeEach(async () => {
  steps.length = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  vi.restoreAllMocks();
  server.closeAllConnections();
  server.close();
});

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n';

/** Sends text in pieces, each once the one before has arrived, and waits for this many responses. */
async function send(pieces: readonly string[], responses: number): Promise<void> {
  const socket = connect(port(), '127.0.0.1').setEncoding('latin1');
  let received = '';
  socket.on('data', (text: string) => {
    received += text;
  });
  for (const [i, piece] of pieces.entries()) {
    const arrived = new Promise((resolve) => server.once('request', resolve));
    socket.write(piece);
    if (i + 1 < pieces.length) await arrived;
  }
  await until('the responses', () => received.split('HTTP/1.1 200').length > responses);
  socket.destroy();
}

describe('requests that arrive together', () => {
  test('start together, so that each step of the code runs for all of them in turn', async () => {
    await send([`${HEAD}1${HEAD}2GET / HTTP/1.1\r\nHost: a\r\n\r\n`], 3);
    const bodies = ['1', '2', 'no body'];
    expect(steps).toEqual([...bodies.map((body) => `${body} starts`), ...bodies.map((body) => `${body} goes on`)]);
  });
});

describe('a small body', () => {
  test('that came with its head is not waited for', async () => {
    const read = vi.spyOn(Arrivals.prototype, 'read');
    await send([`${HEAD}1`], 1);
    expect(read).not.toHaveBeenCalled();
  });

  test('that comes later is there when its request starts', async () => {
    await send([HEAD, '1'], 1);
    expect(steps).toEqual(['1 starts', '1 goes on']);
  });
});

/**
 * The Host header: a request is refused whose Host is missing, doubled or malformed.
 */
describe('the Host header', () => {
  let holdfast: InstanceProcess;
  beforeAll(async () => {
    holdfast = await start({ MAX_IN_FLIGHT: String(MAX_IN_FLIGHT) });
  });
  afterAll(() => holdfast.kill('SIGKILL'));

  describe('the Host header', () => {
    const ask = async (lines: string, target = 'GET /dashboard') => {
      const socket = connect(Number(new URL(holdfast.url).port), '127.0.0.1').setEncoding('latin1');
      let text = '';
      socket.on('data', (data: string) => {
        text += data;
      });
      socket.write(`${target} HTTP/1.1\r\n${lines}\r\nConnection: close\r\n\r\n`);
      await new Promise((resolve) => socket.once('close', resolve));
      return text;
    };

    test.each(['1.2.3.4.5', 'xn--', 'a b', '[::1', 'a@b', 'a/b', 'a%41', 'evil.com:99999', ''])(
      '%j: 400',
      async (host) => {
        for (const target of [
          'GET /dashboard',
          'POST /dashboard/sign-in',
          'GET /api/v1/Resource/tree',
          'GET /healthz',
        ]) {
          const answer = await ask(`Host: ${host}`, target);
          expect(answer).toMatch(/^HTTP\/1.1 400 /);
          expect(answer).toContain('Holdfast-Error: INVALID_HOST');
        }
        const chunked = await ask(`Host: ${host}\r\nTransfer-Encoding: chunked`, 'POST /api/v1/Reservation/reserve');
        expect(chunked).toMatch(/^HTTP\/1.1 400 /);
      },
    );

    test('twice: 400', async () => {
      expect(await ask('Host: a\r\nhost: a')).toMatch(/^HTTP\/1.1 400 /);
    });

    test.each(['localhost', 'LOCALHOST:80', '127.0.0.1:65535', '[::1]:8080', 'a_b.example.'])(
      '%j is one',
      async (host) => {
        expect(await ask(`Host: ${host}`, 'GET /healthz')).toMatch(/^HTTP\/1.1 200 /);
      },
    );
  });
});
