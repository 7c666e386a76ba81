/**
 * `npm start`: runs the service with the configuration of the environment and a file .env in this folder. Without
 * REDIS_URL it uses a private Redis that ends with it. If neither keys nor sign-in are configured, every user of this
 * machine can sign in to the dashboard.
 */
import '../src/signals.ts';
import { existsSync } from 'node:fs';
import { isThisMachine } from '../src/config/formats.ts';
import { fail, launch } from '../src/launch.ts';
import { startRedis } from './redisServer.ts';

if (existsSync('.env')) process.loadEnvFile('.env');

/** Stands for the private Redis where none is started. */
const PRIVATE = { url: 'unix:///a-private-redis.sock' };

const args = process.argv.slice(2);
if (!process.env.REDIS_URL) {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  // An option only needs the form of the address.
  const { url } = args.length > 0 ? PRIVATE : await startRedis(say).catch(fail);
  process.env.REDIS_URL = url;
}

// If neither keys nor sign-in are configured, users of this machine can sign in to the dashboard.
const { DATABASE_URL, API_KEYS, OIDC_ISSUER, HOST = '', TRUSTED_PROXIES = '' } = process.env;
const isForItself = (HOST === '' || isThisMachine(HOST)) && ['', '0'].includes(TRUSTED_PROXIES);
if (!DATABASE_URL && !API_KEYS && !OIDC_ISSUER && isForItself) process.env.LOCAL_SIGN_IN ||= 'true';

await launch(args, process.env, { greets: true });
