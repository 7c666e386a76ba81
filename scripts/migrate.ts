/**
 * `npm run db:migrate`: brings the schema of DATABASE_URL up to date, and does nothing else. Instances do so themselves when they start; this is
 * for whoever wants it done before, or by another user of the database.
 */
import { existsSync } from 'node:fs';
import { readConfig } from '../src/config.ts';
import { Database } from '../src/store/database.ts';
import { createLogger } from '../src/telemetry/log.ts';

if (existsSync('.env')) process.loadEnvFile('.env');
try {
  // Nothing here needs Redis.
  const { database } = readConfig({ REDIS_URL: 'redis://unused', ...process.env });
  if (database === null) throw new Error('DATABASE_URL must be set');
  const opened = await Database.open(database.url, 1, createLogger('silent'));
  if (!opened.isMigrated) throw new Error('the database cannot be reached');
  await opened.close();
  process.stdout.write('The schema is up to date.\n');
} catch (error) {
  process.stderr.write(`holdfast: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
