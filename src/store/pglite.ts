/**
 * PGlite as the database: Postgres in this process, with its files in a folder.
 */

import { existsSync } from 'node:fs';
import { chmod, mkdir, unlink } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import type { Logger } from 'pino';
import { type Connected, type Db, MIGRATIONS_FOLDER } from './db.ts';
import { Pool } from './pool.ts';

/**
 * Locks a folder, since PGlite does not: the process that listens on a socket beside the folder has the lock. The
 * listener ends with its process, so a crash leaves no lock behind. Creates the parent folder.
 * @returns a function that releases the lock
 * @throws Error if another process has the lock
 */
async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = `${resolve(folder)}.lock`;
  await mkdir(dirname(path), { recursive: true });
  const server = createServer((socket) => socket.destroy());
  const listen = () =>
    new Promise<boolean>((settle, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'EADDRINUSE'
          ? settle(false)
          : reject(new Error(`cannot create the lock ${path}: ${error.code}`)),
      );
      server.listen(path, () => settle(true));
    });
  if (!(await listen())) {
    if (await isListening(path)) throw new Error(`${folder} is in use by another process`);
    await unlink(path); // left by a process that was killed
    if (!(await listen())) throw new Error(`${folder} is in use by another process`);
  }
  server.unref();
  return () => new Promise((settle) => server.close(() => settle()));
}

const isListening = (path: string) =>
  new Promise<boolean>((settle) => {
    const socket = connect(path, () => {
      socket.destroy();
      settle(true);
    }).once('error', () => settle(false));
  });

/**
 * Opens the database in a folder, which is made if it does not exist.
 * @param log told if the database is made, since that takes long
 * @throws Error if another process has the folder open
 */
export async function openPglite(folder: string, log: Logger): Promise<Connected> {
  const unlock = await lockFolder(folder);
  // PGlite makes its files readable and writable for every user, so the folder must be closed to other users.
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  if (!existsSync(join(folder, 'PG_VERSION'))) {
    log.info({ folder }, 'making the embedded database and its tables: this may take up to a minute');
    // At once: PGlite keeps this process busy.
    log.flush();
  }
  const pglite = await PGlite.create(folder);
  const db = drizzle(pglite);
  const pool = new Pool([db]);
  return {
    run: (work, ...by) => pool.take(() => work(db), ...by),
    transaction: (work, signal, tenant) => pool.take(() => db.transaction(whileWanted(work, signal)), signal, tenant),
    snapshot: (work, ...by) =>
      pool.take(() => db.transaction(work, { isolationLevel: 'repeatable read', accessMode: 'read only' }), ...by),
    // Needs no lock: only one process can open the folder.
    migrate: () => migrate(db, { migrationsFolder: MIGRATIONS_FOLDER }),
    close: async () => {
      await pglite.close();
      await unlock();
    },
  };
}

/** Makes `work` throw, so that its transaction is rolled back, if its caller has stopped waiting by its end. */
const whileWanted =
  <T>(work: (tx: Db) => Promise<T>, signal: AbortSignal) =>
  async (tx: Db): Promise<T> => {
    const result = await work(tx);
    signal.throwIfAborted();
    return result;
  };
