/** Callers that do not read their responses yield to others (docs/specification.md#overload). */
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createAdmittingServer } from '../../src/http/admission/admission.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { until } from '../support/until.ts';

test('while all places are taken, a connection whose response is not read is closed in seconds', async () => {
  const text = 'x'.repeat(16 * 1_048_576);
  const log = createLogger('silent');
  const answers: Readonly<Record<string, string>> = { '/': '', '/large': text };
  const server = createAdmittingServer(
    ({ url = '' }, response) => {
      const answer = answers[url];
      if (answer !== undefined) response.end(answer);
    },
    { maxInFlight: 2, trustedProxies: 0, log, metrics: null },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const ask = (path: string): Socket => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.pause().write(`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`);
    return socket;
  };
  const status = async () => (await fetch(`http://127.0.0.1:${port}`)).status;
  const working = ask('/is-worked-on').resume();
  const slow = ask('/large');
  await until('both places are taken', async () => (await status()) === 503);
  const began = performance.now();
  await until('one is free', async () => (await status()) === 200, 10_000);
  expect(performance.now() - began).toBeGreaterThan(1500);
  expect(working.destroyed).toBe(false);
  working.destroy();
  slow.destroy();
  server.closeAllConnections();
  server.close();
});
