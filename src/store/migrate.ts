/**
 * Updates the database's schema with the migrations in drizzle/. If several instances start at once, one of them
 * migrates, under a lock of the database, and the others wait.
 */
import { fileURLToPath } from 'node:url';
import type { PgliteDatabase } from 'drizzle-orm/pglite';
import { migrate as migrateByPglite } from 'drizzle-orm/pglite/migrator';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as migrateByPostgres } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';

const migrationsFolder = fileURLToPath(new URL('../../drizzle/', import.meta.url));

/** The number of the advisory lock: one that nothing else on the server uses. */
const LOCK = 4_839_201_733;

/**
 * @param onWait called if another process holds the lock, before waiting for it
 * @throws the driver's errors
 */
export async function migratePostgres(url: string, onWait: () => void): Promise<void> {
  const sql = postgres(url, { max: 1, connect_timeout: 3, onnotice: () => {} });
  try {
    // This connection holds the lock, so that it is released however this ends.
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

/** Needs no lock: only one process can open a PGlite folder. */
export const migratePglite = (db: PgliteDatabase): Promise<void> => migrateByPglite(db, { migrationsFolder });
