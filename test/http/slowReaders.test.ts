/**
 * Callers that do not read their responses keep nobody else out (docs/specification.md#overload).
 */
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { MAX_POLL_SECONDS } from '../../src/domain/waiting.ts';
import { createAdmittingServer } from '../../src/http/admission/admission.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { holdfast, useInstance } from '../support/instance.ts';
import { until } from '../support/until.ts';

useInstance();

const sockets: Socket[] = [];
/** Sends requests and reads no responses. */
function send(url: string, text: string): void {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  socket.pause();
  socket.write(text);
  sockets.push(socket);
}
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

describe('a caller that reads no response', () => {
  test('keeps no other large body of its tenant waiting', async () => {
    const batch = (name: string) =>
      Array.from({ length: 100 }, (_, i) => ({ resource: `${name}-${i}`.padEnd(250, 'x'), requester: 'q' }));
    for (const name of ['a', 'b']) {
      const body = JSON.stringify(batch(name));
      const head = `X-Api-Key: ${holdfast.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
      // Responses that fill all buffers before that of the batch.
      const before = 'GET /openapi.json HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(30);
      send(holdfast.url, `${before}POST /api/v1/Reservation/reserve HTTP/1.1\r\nHost: h\r\n${head}\r\n\r\n${body}`);
    }
    await until('both batches', async () => (await holdfast.active()).body.length === 200);
    expect((await holdfast.reserve(...batch('c'))).status).toBe(200);
  });

  test('loses its connection, and its place among the requests in flight, once nothing has moved for a while', async () => {
    const text = 'x'.repeat(16 * 1_048_576);
    const log = createLogger('silent');
    const options = { maxInFlight: 1, trustedProxies: 0, log, metrics: null };
    const server = createAdmittingServer(({ url }, response) => response.end(url === '/large' ? text : ''), options);
    // A long poll stands still for so long.
    expect(server.timeout).toBeGreaterThan(1000 * MAX_POLL_SECONDS);
    server.setTimeout(150);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    // A connection of its own may stand still, too.
    const status = () =>
      fetch(url).then(
        (response) => response.status,
        () => 0,
      );
    send(url, 'GET /large HTTP/1.1\r\nHost: h\r\n\r\n');
    await until('its place is taken', async () => (await status()) === 503);
    await until('its place is free', async () => (await status()) === 200);
    server.closeAllConnections();
    server.close();
  });
});
