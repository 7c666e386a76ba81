/**
 * Updates the schema of a Postgres database with the migrations in drizzle/. If several instances start at once, one of
 * them migrates, under a lock of the database, and the others wait.
 */
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { MIGRATIONS_FOLDER } from './migrationsFolder.ts';

/** The number of the advisory lock: one that nothing else on the server uses. */
const LOCK = 4_839_201_733;

/**
 * @param onWait called if another process holds the lock, before waiting for it
 * @throws the driver's errors
 */
export async function migratePostgres(url: string, onWait: () => void): Promise<void> {
  const sql = postgres(url, { max: 1, connect_timeout: 3, fetch_types: false, onnotice: () => {} });
  try {
    // This connection holds the lock, so that it is released however this ends.
    const [row] = await sql`select pg_try_advisory_lock(${LOCK}) as taken`;
    if (row?.taken !== true) {
      onWait();
      await sql`select pg_advisory_lock(${LOCK})`;
    }
    await migrate(drizzle(sql), { migrationsFolder: MIGRATIONS_FOLDER });
  } finally {
    await sql.end({ timeout: 5 });
  }
}
