/**
 * A port that is free, and below those that the system gives to outgoing connections: else one of a client could take
 * it while the server is away.
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
