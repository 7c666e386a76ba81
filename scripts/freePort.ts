/**
 * Finds a free port below the range for outgoing connections, so that no client's connection takes it while the server
 * is restarted. Never returns the same port twice.
 */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Ports that were returned before: their servers may not listen yet. */
const given = new Set<number>();

export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 32_000);
  if (given.has(port)) return freePort();
  given.add(port);
  const server = createServer();
  const free = await new Promise<boolean>((resolve, reject) => {
    server.once('error', (error) => ('code' in error && error.code === 'EADDRINUSE' ? resolve(false) : reject(error)));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
  return free ? port : freePort();
}
