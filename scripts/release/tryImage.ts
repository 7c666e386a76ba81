/**
 * `npm run release:try-image -- <image>`: runs an image as its users do, without rights and with a file system that it
 * cannot write to, and uses it. Brings a Redis, unless the image has one of its own. Docker has to run on this machine.
 */

import { deepStrictEqual } from 'node:assert';
import { z } from 'zod';
import { freePort } from '../freePort.ts';
import { startRedisNode } from '../redisServer.ts';
import { command } from './command.ts';
import { waitUntilReady } from './ready.ts';
import { API_KEYS, KEY } from './trialService.ts';

const docker = (...args: readonly string[]) => command('docker', args).trim();

const Image = z.object({
  Volumes: z.record(z.string(), z.unknown()).nullish(),
  User: z.string(),
  Labels: z.record(z.string(), z.string()),
});

const [image = 'holdfast'] = process.argv.slice(2);
const { Volumes, User, Labels } = Image.parse(
  JSON.parse(docker('image', 'inspect', '--format={{json .Config}}', image)),
);
const hasRedis = Volumes != null;

const redis = hasRedis ? null : await startRedisNode(console.log, await freePort());
const port = await freePort();
const env = {
  PORT: String(port),
  METRICS_PORT: String(await freePort()),
  API_KEYS,
  ...(redis === null ? {} : { REDIS_URL: `redis://127.0.0.1:${redis.port}` }),
};
const options = ['--network=host', '--read-only', '--tmpfs=/tmp', '--cap-drop=ALL', '--security-opt=no-new-privileges'];
const variables = Object.entries(env).map(([name, value]) => `--env=${name}=${value}`);
const container = docker('run', '--detach', ...options, ...variables, image);
const url = `http://127.0.0.1:${port}`;

/** Returns what the service answers, as JSON. @throws Error if that is an error */
async function call(path: string, body?: unknown): Promise<unknown> {
  const headers = { 'X-Api-Key': KEY, 'Content-Type': 'application/json' };
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(url + path, { headers, ...sent });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

const Held = z.tuple([z.looseObject({ status: z.string() })]);

try {
  await waitUntilReady(url, image);
  deepStrictEqual(User, '1000:1000');
  deepStrictEqual(await call('/version'), {
    version: Labels['org.opencontainers.image.version'],
    commit: Labels['org.opencontainers.image.revision'],
  });
  const [hold] = Held.parse(await call('/api/v1/Reservation/reserve', [{ resource: 'printer', requester: 'release' }]));
  deepStrictEqual(hold.status, 'ACQUIRED');
  const [released] = Held.parse(await call('/api/v1/Reservation/unreserve', [hold]));
  deepStrictEqual(released.status, 'RELINQUISHED');
  docker('stop', '--time=30', container);
  deepStrictEqual(docker('inspect', '--format={{.State.ExitCode}}', container), '0');
  console.log(`${image} (${Labels['org.opencontainers.image.version']}) runs, reserves, releases and stops.`);
} catch (error) {
  console.error(docker('logs', container));
  throw error;
} finally {
  docker('rm', '--force', '--volumes', container);
  await redis?.stop();
}
