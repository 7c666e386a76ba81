/**
 * TLS, by certificates of an authority of one's own, and users with passwords: all that a client of Redis opens is by
 * them.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
import { startRedisNode } from '../../scripts/redisServer.ts';
import { createClient } from '../support/client.ts';
import { startProcess } from '../support/process.ts';
import { makeConfiguredKey, makeTenant } from '../support/service.ts';
import { type Access, startCluster, startSentinels } from '../support/topologies.ts';
import { until } from '../support/until.ts';
import { watch } from '../support/watch.ts';

const USER = { user: 'holdfast', password: 'a secret: @/' };
const userOptions = [
  ...['--user', 'default', 'off'],
  ...['--user', USER.user, 'on', `#${sha256(USER.password)}`, '~*', '&*', '+@all'],
  ...['--masteruser', USER.user, '--masterauth', USER.password],
];

function sha256(text: string): string {
  return execFileSync('openssl', ['dgst', '-sha256', '-r'], { input: text, encoding: 'utf8' }).slice(0, 64);
}

let folder: string;
let tls: Access;
const file = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-tls-'));
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=test'];
  openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.crt', '-days', '2');
  openssl('req', ...newKey, '-keyout', 'redis.key', '-out', 'redis.csr');
  writeFileSync(file('names'), 'subjectAltName=IP:127.0.0.1');
  const authority = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial'];
  openssl('x509', '-req', '-in', 'redis.csr', ...authority, '-out', 'redis.crt', '-days', '2', '-extfile', 'names');
  tls = {
    tls: true,
    nodeOptions: [
      ...['--tls-cert-file', file('redis.crt'), '--tls-key-file', file('redis.key')],
      ...['--tls-ca-cert-file', file('ca.crt'), '--tls-auth-clients', 'no'],
    ],
    options: { tls: { ca: readFileSync(file('ca.crt')) } },
  };
});
afterAll(() => rmSync(folder, { recursive: true }));

const startSingle = async ({ nodeOptions = [] }: Access) => {
  const port = await freePort();
  const { stop } = await startRedisNode(() => {}, port, ['--tls-port', String(port), ...nodeOptions]);
  const { user, password } = USER;
  return { url: `rediss://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}`, stop };
};

/** On a busy machine, the first call of a new Redis may take longer than a client waits: then it is a 503. */
const openStream = (at: { url: string; key: string }) =>
  until('a stream', async () => {
    const stream = await watch(at);
    if (stream.head.startsWith('HTTP/1.1 200')) return stream;
    stream.close();
    return null;
  });

describe.concurrent.each([
  ['one server, TLS and a user', startSingle],
  ['a cluster, TLS and a user', startCluster],
  ['sentinels, TLS and a user', startSentinels],
])('%s', (_, start) => {
  test('reserve, events, and the worker’s expiry', async () => {
    const nodeOptions = [...(tls.nodeOptions ?? []), ...userOptions];
    const sentinelOptions = tls.nodeOptions ?? [];
    const topology = await start({ ...tls, ...USER, nodeOptions, sentinelOptions, isPatient: true });
    const key = makeConfiguredKey(makeTenant());
    const instance = await startProcess({
      REDIS_URL: topology.url,
      API_KEYS: JSON.stringify([key]),
      NODE_EXTRA_CA_CERTS: file('ca.crt'),
    });
    const stream = await openStream({ url: instance.url, key: key.key });
    const { body } = await createClient(instance.url, key.key).reserve({
      resource: 'r',
      requester: 'q',
      ttlSeconds: 1,
    });
    expect(body).toMatchObject([{ status: 'ACQUIRED' }]);
    const events = await stream.count(3);
    expect(events.map(({ type }) => type)).toEqual(['RESERVED', 'RESERVATION_EXPIRED', 'UNRESERVED']);
    expect(instance.output()).not.toContain(USER.password);
    stream.close();
    instance.kill('SIGKILL');
    await instance.exit;
    await topology.stop();
  });
});

describe.concurrent('a certificate of nobody that is trusted', () => {
  test('is refused', async () => {
    const { url, stop } = await startSingle({ nodeOptions: [...(tls.nodeOptions ?? []), ...userOptions] });
    const instance = await startProcess({ REDIS_URL: url });
    const ready = await fetch(`${instance.url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([
      503,
      { reason: expect.stringContaining('Redis cannot be reached') },
    ]);
    expect(instance.output()).not.toContain(USER.password);
    instance.kill('SIGKILL');
    await instance.exit;
    await stop();
  });
});
