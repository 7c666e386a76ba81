/**
 * Updates the schema of the database at DATABASE_URL and exits: a separate step for deployments that want one.
 * Instances also do this when they start.
 */
import './signals.ts';

try {
  // So that nobody migrates who wants to check the configuration.
  if (process.argv.length > 2)
    throw new Error('there are no options. To check the configuration: main.js --check-config');
  const [{ readConfig }, { Database }, { createLogger }] = await Promise.all([
    import('./config/config.ts'),
    import('./store/database.ts'),
    import('./telemetry/log.ts'),
  ]);
  // Redis is not used here, but the configuration requires an address.
  const { database, logLevel } = readConfig({ LOG_LEVEL: 'warn', REDIS_URL: 'redis://unused', ...process.env });
  if (database === null) throw new Error('DATABASE_URL must be set');
  const log = createLogger(logLevel);
  const opened = await Database.open(database.url, 1, log);
  if (!opened.isMigrated) throw new Error('the database cannot be reached');
  await opened.close();
  process.stdout.write('The schema is up to date.\n');
} catch (error) {
  process.stderr.write(`holdfast: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
