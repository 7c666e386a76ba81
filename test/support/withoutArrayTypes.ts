/**
 * A relay to a database, through which the postgres package's query for array types fails: its column is misspelled.
 */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { z } from 'zod';

const Address = z.object({ port: z.number() });

/** @returns the address of the relay, as for DATABASE_URL, and what stops it */
export async function withoutArrayTypes(databaseUrl: string): Promise<{ readonly url: string; stop(): void }> {
  const { hostname, port } = new URL(databaseUrl);
  const relay = createServer((socket) => {
    const server = connect(Number(port), hostname);
    socket.on('data', (bytes) =>
      server.write(bytes.toString('latin1').replace('typcategory', 'typcategorX'), 'latin1'),
    );
    server.pipe(socket);
    socket.on('close', () => server.destroy()).on('error', () => {});
    server.on('error', () => socket.destroy());
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${Address.parse(relay.address()).port}`;
  return { url: url.href, stop: () => void relay.close() };
}
