/**
 * Brings the schema of DATABASE_URL up to date, and does nothing else: a step of its own where one deploys, though instances do so themselves
 * when they start.
 */
import { readConfig } from './config.ts';
import { Database } from './store/database.ts';
import { createLogger } from './telemetry/log.ts';

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
