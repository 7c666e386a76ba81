/**
 * etcd: a lease, a transaction that puts the key if it does not exist, and the revocation of the lease, which deletes
 * the key. Uses etcd's HTTP gateway, since no small gRPC client is maintained. The gateway costs etcd some speed.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { freePort } from '../../scripts/freePort.ts';
import { startGuarded } from '../../scripts/guardedProcess.ts';
import { Connection } from '../client.ts';
import { freshName } from '../requests.ts';
import { type Peer, programOf } from './peer.ts';
import { newToken } from './redlock.ts';

const Lease = z.object({ ID: z.string() });
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Starts an etcd if it is installed. */
export async function startEtcd(): Promise<Peer | undefined> {
  const path = programOf('etcd');
  if (path === undefined) return undefined;
  const [, version] = /Version: (\S+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' })) ?? [];
  const [port, peerPort] = [await freePort(), await freePort()];
  const [clients, peers] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const options = {
    'data-dir': 'data',
    'listen-client-urls': clients,
    'advertise-client-urls': clients,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `default=${peers}`,
  };
  const { pid, stop } = await startGuarded(
    { path, env: process.env },
    mkdtempSync(join(tmpdir(), 'holdfast-etcd-')),
    Object.entries(options).map(([name, value]) => `--${name}=${value}`),
    { port },
  );
  const opened: Connection[] = [];
  return {
    pid,
    name: `etcd ${version}, lease + txn + revoke (fsync)`,
    clients: async (count) =>
      Array.from({ length: count }, () => {
        const connection = new Connection(port, 'Host: 127.0.0.1\r\n');
        opened.push(connection);
        return () => lockAndUnlock(connection);
      }),
    stop: async () => {
      for (const connection of opened) connection.close();
      await stop();
    },
  };
}

async function lockAndUnlock(connection: Connection): Promise<void> {
  const { ID: lease } = Lease.parse(JSON.parse(await connection.post('/v3/lease/grant', '{"TTL":3600}')));
  const key = base64(freshName());
  const done = await connection.post(
    '/v3/kv/txn',
    JSON.stringify({
      compare: [{ key, target: 'CREATE', create_revision: '0', result: 'EQUAL' }],
      success: [{ request_put: { key, value: base64(newToken()), lease } }],
    }),
  );
  if (!done.includes('"succeeded":true')) throw new Error(`the key was taken: ${done}`);
  await connection.post('/v3/lease/revoke', JSON.stringify({ ID: lease }));
}
