/**
 * The database: Postgres by a pool of connections, or PGlite in this process
 * (docs/specification.md#store-modes-and-start). While it is away, what needs it fails quickly, and it is found again
 * by itself; the schema is brought up to date as soon as it is there.
 */
import { chmod, mkdir } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { sql } from 'drizzle-orm';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import { drizzle } from 'drizzle-orm/pglite';
import type { Logger } from 'pino';
import { z } from 'zod';
import { HoldfastError } from '../domain/errors.ts';
import type { Db } from './db.ts';
import { lockFolder } from './folderLock.ts';
import { migratePglite, migratePostgres } from './migrate.ts';
import { PostgresPool } from './postgresPool.ts';
import { Turns } from './turns.ts';

export const PGLITE = 'pglite:';

/** ms that a caller waits for the database. */
const ANSWER_WITHIN_MS = 5000;
/** Calls for each connection that may be in flight, those that wait for one among them. */
const IN_FLIGHT_PER_CONNECTION = 100;
const MIGRATE_AGAIN_MS = 2000;

/**
 * Work whose signal is aborted before it begins is not begun; a transaction is not committed either. Both then reject.
 */
interface Connected {
  run<T>(work: (db: Db) => Promise<T>, signal: AbortSignal): Promise<T>;
  transaction<T>(work: (tx: Db) => Promise<T>, signal: AbortSignal): Promise<T>;
  snapshot<T>(work: (tx: Db) => Promise<T>, signal: AbortSignal): Promise<T>;
  migrate(): Promise<void>;
  close(): Promise<unknown>;
}

export class Database {
  readonly #connected: Connected;
  readonly #mostInFlight: number;
  #inFlight = 0;
  #isMigrated = false;
  #isClosed = false;

  private constructor(connected: Connected, mostInFlight: number) {
    this.#connected = connected;
    this.#mostInFlight = mostInFlight;
  }

  /**
   * Opens it and brings its schema up to date; goes on trying to in the background where it is away.
   * @param url postgres:// or pglite:<folder>
   * @param poolSize connections at most
   * @throws Error with a message for whoever started the service, where it is there and cannot be used
   */
  static async open(url: string, poolSize: number, log: Logger): Promise<Database> {
    const [connected, connections] = url.startsWith(PGLITE)
      ? [await openPglite(url), 1]
      : [openPostgres(url, poolSize, log), poolSize];
    const database = new Database(connected, connections * IN_FLIGHT_PER_CONNECTION);
    const migrate = async () => {
      await database.#connected.migrate();
      database.#isMigrated = true;
    };
    try {
      await migrate();
    } catch (error) {
      if (!isAway(error)) {
        await database.close();
        throw new Error(`the database cannot be used: ${error instanceof Error ? error.message : String(error)}`);
      }
      log.warn({ err: error }, 'the database cannot be reached: what needs it answers 503');
      const again = () => {
        if (database.#isClosed) return;
        migrate().then(
          () => log.info('the database is there'),
          () => setTimeout(again, MIGRATE_AGAIN_MS).unref(),
        );
      };
      setTimeout(again, MIGRATE_AGAIN_MS).unref();
    }
    return database;
  }

  /** Whether its schema is up to date; false as long as it could not be reached. */
  get isMigrated(): boolean {
    return this.#isMigrated;
  }

  /**
   * Does some work on it.
   * @throws HoldfastError unavailable, where it cannot be reached or takes too long: whether the work was done is then
   * unknown, but work that still waits is not begun later; unavailable, where too many calls wait; whatever work throws
   */
  run<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.#inTime((signal) => this.#connected.run(work, signal));
  }

  /** Does some work in one transaction, whole or not at all. Errors are those of run(). */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    return this.#inTime((signal) => this.#connected.transaction(work, signal));
  }

  /** Reads from one state of it, whatever is written meanwhile. Errors are those of run(). */
  snapshot<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    return this.#inTime((signal) => this.#connected.snapshot(work, signal));
  }

  /** Whether it answers. */
  async isUp(): Promise<boolean> {
    return this.run((db) => db.execute(sql`select`)).then(
      () => true,
      () => false,
    );
  }

  async #inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (!this.#isMigrated) throw away(undefined);
    if (this.#inFlight >= this.#mostInFlight) throw busy();
    const caller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const error = away(new Error('the database did not answer in time'));
        caller.abort(error);
        reject(error);
      }, ANSWER_WITHIN_MS);
    });
    this.#inFlight++;
    const done = work(caller.signal).finally(() => {
      this.#inFlight--;
    });
    try {
      return await Promise.race([done, late]);
    } catch (error) {
      throw isAway(error) ? away(error) : causeOf(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connected.close();
  }
}

function openPostgres(url: string, size: number, log: Logger): Connected {
  const pool = new PostgresPool(url, { size, statementTimeoutMs: ANSWER_WITHIN_MS });
  const onWait = () => log.warn('another process is migrating the database: waiting for it');
  return Object.assign(pool, { migrate: () => migratePostgres(url, onWait) });
}

async function openPglite(url: string): Promise<Connected> {
  const folder = url.slice(PGLITE.length);
  const unlock = await lockFolder(folder);
  // PGlite makes its files readable and writable for everybody, so nobody else may enter the folder.
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  const pglite = await PGlite.create(folder);
  const db = drizzle(pglite);
  const turns = new Turns([db]);
  return {
    run: (work, signal) => turns.take(() => work(db), signal),
    transaction: (work, signal) => turns.take(() => db.transaction(whileWanted(work, signal)), signal),
    snapshot: (work, signal) =>
      turns.take(() => db.transaction(work, { isolationLevel: 'repeatable read', accessMode: 'read only' }), signal),
    migrate: () => migratePglite(db),
    close: async () => {
      await pglite.close();
      await unlock();
    },
  };
}

/** Makes work throw, and so its transaction roll back, if its caller has stopped waiting by its end. */
const whileWanted =
  <T>(work: (tx: Db) => Promise<T>, signal: AbortSignal) =>
  async (tx: Db): Promise<T> => {
    const result = await work(tx);
    signal.throwIfAborted();
    return result;
  };

const busy = () =>
  new HoldfastError('unavailable', 'The database has more to do than it can. Nothing was done: repeat the call.');

const away = (cause: unknown) =>
  new HoldfastError('unavailable', 'The database cannot be reached. The outcome is unknown: repeat the call.', {
    cause,
  });

/** What the error is about; Drizzle wraps it in one whose message holds the query and its values. */
const causeOf = (error: unknown): unknown =>
  error instanceof DrizzleQueryError && error.cause !== undefined ? error.cause : error;

/** Of sockets, of the postgres package, and SQLSTATEs by which a server says that it cannot serve just now. */
const AWAY =
  /^(ECONN\w+|ENOTFOUND|ENOENT|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|CONNECT_TIMEOUT|CONNECTION_\w+|08\w{3}|57P0[1-5]|57014|53\w{3}|25006|40001|40P01|55P03)$/;
const Coded = z.object({ code: z.string() });

function isAway(error: unknown): boolean {
  const { data } = Coded.safeParse(causeOf(error));
  return data !== undefined && AWAY.test(data.code);
}

const UNIQUE_VIOLATION = '23505';

/** Whether an error says that there is such a row already. */
export const isDuplicate = (error: unknown): boolean => Coded.safeParse(causeOf(error)).data?.code === UNIQUE_VIOLATION;
