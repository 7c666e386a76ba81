/**
 * `npm start`: runs the service as it is configured (a file .env in this folder counts); with no REDIS_URL, on a
 * private Redis that ends with it, and with nobody configured, with a sign-in to the dashboard for whoever uses this
 * machine.
 */
import { existsSync } from 'node:fs';
import { isThisMachine } from '../src/config/machine.ts';
import { startRedis } from './redisServer.ts';

if (existsSync('.env')) process.loadEnvFile('.env');

if (!process.env.REDIS_URL) {
  try {
    const redis = await startRedis((line) => process.stdout.write(`${line}\n`));
    process.env.REDIS_URL = redis.url;
  } catch (error) {
    process.stderr.write(`holdfast: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

// Nothing says who there is or how they sign in: then whoever uses this machine may, to look at what they have just
// started.
const { DATABASE_URL, API_KEYS, OIDC_ISSUER, HOST = '', TRUSTED_PROXIES = '' } = process.env;
const isForItself = (HOST === '' || isThisMachine(HOST)) && ['', '0'].includes(TRUSTED_PROXIES);
if (!DATABASE_URL && !API_KEYS && !OIDC_ISSUER && isForItself) process.env.LOCAL_SIGN_IN ||= 'true';

await import('../src/main.ts');
