/**
 * Finds a free port below the range for outgoing connections, so that no client's connection takes it while the server
 * is restarted.
 */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 32_000);
  const server = createServer();
  const free = await new Promise<boolean>((resolve, reject) => {
    server.once('error', (error) => ('code' in error && error.code === 'EADDRINUSE' ? resolve(false) : reject(error)));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
  return free ? port : freePort();
}
