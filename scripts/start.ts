/**
 * `npm start`: runs the service as it is configured (a file .env in this folder counts); with no REDIS_URL, on a private
 * Redis that ends with it.
 */
import { existsSync } from 'node:fs';
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

await import('../src/main.ts');
