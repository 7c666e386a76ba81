/**
 * Brings the database's schema up to date by the migrations in drizzle/. However many instances start at once, one of
 * them does it, under a lock of the database, and the others wait.
 */
import { fileURLToPath } from 'node:url';
import type { PgliteDatabase } from 'drizzle-orm/pglite';
import { migrate as migrateByPglite } from 'drizzle-orm/pglite/migrator';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as migrateByPostgres } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';

const migrationsFolder = fileURLToPath(new URL('../../drizzle/', import.meta.url));

/** Any number that nothing else on the server locks. */
const LOCK = 4_839_201_733;

/**
 * @param onWait called if another process holds the lock; it is then waited for
 * @throws whatever the driver throws
 */
export async function migratePostgres(url: string, onWait: () => void): Promise<void> {
  const sql = postgres(url, { max: 1, connect_timeout: 3, onnotice: () => {} });
  try {
    // Held by this connection, so it is let go however this ends.
    const [row] = await sql`select pg_try_advisory_lock(${LOCK}) as taken`;
    if (row?.taken !== true) {
      onWait();
      await sql`select pg_advisory_lock(${LOCK})`;
    }
    await migrateByPostgres(drizzle(sql), { migrationsFolder });
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** A PGlite has one process, so it needs no lock. */
export const migratePglite = (db: PgliteDatabase): Promise<void> => migrateByPglite(db, { migrationsFolder });
