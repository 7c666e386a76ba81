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
import { makeKey } from '../src/identity/credentials.ts';
import { fail, launch } from '../src/launch.ts';
import type { ServeOptions } from '../src/serve.ts';
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

/** Starts the Redis unless there is another one. Returns the key, and what ends that Redis. */
async function prepare(): Promise<Pick<ServeOptions, 'localKey' | 'onStopped'>> {
  const localKey = keptKey();
  if (env.REDIS_URL) return { localKey };
  const { url, pid, ended } = await startRedis(() => {}, { folder });
  env.REDIS_URL = url;
  let isEnding = false;
  // Without it the service is of no use. The engine restarts the container.
  void ended.then(() => {
    if (!isEnding) fail('its Redis has ended');
  });
  const onStopped = async () => {
    isEnding = true;
    // It still writes what an fsync under way has kept waiting. The kill at the end of this process would lose that.
    process.kill(pid, 'SIGTERM');
    await ended;
  };
  return { localKey, onStopped };
}

if (!env.DATABASE_URL && !env.OIDC_ISSUER) env.LOCAL_SIGN_IN ||= 'key';
if (args.length > 0) {
  env.REDIS_URL ||= `unix://${folder}/redis.sock`;
  await launch(args, env, {});
} else await launch([], env, { greets: true, ...(await prepare().catch(fail)) });
