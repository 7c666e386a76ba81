/**
 * The program of the image `standalone`: the service with a Redis of its own, which keeps its data in a folder, and
 * with a key that stays the same. Unless the environment configures another sign-in, people sign in to the dashboard
 * with that key.
 *
 * node dist/standalone.js <folder> [option]
 */
import '../src/signals.ts';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeKey } from '../src/identity/credentials.ts';
import { fail, launch } from '../src/launch.ts';
import { isAlive } from './isAlive.ts';
import { startRedis } from './redisServer.ts';

const [named = '.', ...args] = process.argv.slice(2);
const folder = resolve(named);
const { env } = process;

/**
 * Returns the key of the tenant local. The first start makes it.
 * @throws Error with what to do, if the folder cannot be written
 */
function keptKey(): string {
  const file = join(folder, 'key');
  try {
    if (!existsSync(file)) writeFileSync(file, makeKey('local'), { mode: 0o600 });
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new Error(`cannot use ${folder}: mount a volume there that user ${process.getuid?.()} may read and write`);
  }
}

/** Ends the Redis, if this program has started it. */
let endRedis = async () => {};

/** Starts the Redis unless there is another one, and returns the key. */
async function prepare(): Promise<string> {
  const key = keptKey();
  if (env.REDIS_URL) return key;
  const { url, pid, ended } = await startRedis(() => {}, { folder });
  env.REDIS_URL = url;
  let isEnding = false;
  // Without it the service is of no use. The engine restarts the container.
  void ended.then(() => {
    if (!isEnding) fail('its Redis has ended');
  });
  endRedis = async () => {
    isEnding = true;
    // It writes down what waits for an fsync that is under way. If it were killed, as at the end of this process, that
    // would be lost.
    process.kill(pid, 'SIGTERM');
    while (isAlive(pid)) await pause(10);
  };
  return key;
}

if (!env.DATABASE_URL && !env.OIDC_ISSUER) env.LOCAL_SIGN_IN ||= 'key';
if (args.length > 0) {
  env.REDIS_URL ||= `unix://${folder}/redis.sock`;
  await launch(args, env, {});
} else await launch([], env, { greets: true, localKey: await prepare().catch(fail), onStopped: () => endRedis() });
