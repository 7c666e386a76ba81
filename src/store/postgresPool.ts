/**
 * A pool of connections to Postgres, each a client of its own that knows when its connection was lost.
 *
 * The pool of the postgres package is not used, because it mishandles a transaction whose connection is lost
 * (porsager/postgres, seen with 3.4.9):
 * - later queries of the transaction run on another connection, outside any transaction (issue 1216, pull requests 1155
 *   and 1215)
 * - a write to the lost connection throws where nobody can catch it and ends the process (issue 1208, pull request
 * 1168)
 * - queries that were queued in the transaction never settle (issue 1186)
 * - if the server ends a connection in the middle of a query, the first query on the next connection fails, too
 *
 * And the package counts the rows of a statement that fails halfway into the next answer of its connection, which gets
 * holes at its front. Whatever is read from it is wrong: no such tenant, no such key.
 *
 * And it ends the process if the query for array types fails, which it sends on each new connection.
 *
 * This file can go once a release has none of these faults. test/store/driver.test.ts fails as soon as the installed
 * release has lost one.
 */

import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { type Db, MIGRATIONS_FOLDER } from './db.ts';
import { Pool } from './pool.ts';

export interface PoolOptions {
  /** Maximum number of connections. Each is made when it is first needed. */
  readonly size: number;
  /** Time after which the server cancels a statement. */
  readonly statementTimeoutMs: number;
}

/** The error by which the postgres package reports a lost connection. */
const lost = () => Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' });

/** Number of failed reconnects after which the caller gets the error. */
const MAX_MENDS = 2;

/** The error for an answer with holes, which CONNECTION_ makes a 503 (database.ts). */
const sparse = () => Object.assign(new Error('the answer has holes'), { code: 'CONNECTION_OUT_OF_STEP' });

type Query = postgres.PendingQuery<postgres.Row[]>;
type Rows = readonly unknown[];

class Connection {
  readonly #db: Db;
  readonly #client: postgres.Sql;
  #losses = 0;
  /** The number of losses when the open transaction began; null: no transaction is open */
  #lossesBefore: number | null = null;
  /** True if a query has failed, or the connection was lost, since one was spent */
  #hasFailed = false;

  constructor(url: string, { statementTimeoutMs }: PoolOptions) {
    this.#client = postgres(url, {
      max: 1,
      connect_timeout: 3,
      // Reconnects soon after the server is back.
      backoff: () => 0.2,
      onnotice: () => {},
      // No column needs the array types of the server: Drizzle reads and writes arrays as texts.
      fetch_types: false,
      onclose: () => {
        this.#losses++;
        this.#hasFailed = true;
      },
      connection: { application_name: 'holdfast', statement_timeout: statementTimeoutMs },
    });
    const guarded = new Proxy(this.#client, {
      get: (client, name) => {
        if (name !== 'unsafe') return Reflect.get(client, name);
        if (this.#isLost) throw lost();
        return (...args: Parameters<typeof client.unsafe>) => {
          if (this.#hasFailed) this.#spend();
          return this.#watched(client.unsafe(...args));
        };
      },
    });
    this.#db = drizzle(guarded);
  }

  /** Sends a query ahead of the next one: it gets the rows of the statement that has failed, if any. */
  #spend(): void {
    this.#hasFailed = false;
    this.#noteFailure(this.#client`select`);
  }

  #noteFailure(query: Promise<unknown>): void {
    query.catch(() => {
      this.#hasFailed = true;
    });
  }

  /** Notes whether a query fails, and refuses an answer with holes. Drizzle awaits it, or what its values() returns. */
  #watched(query: Query) {
    const check = <Result extends Rows>(answer: Promise<Result>): Promise<Result> => {
      const checked = answer.then((rows) => {
        if (rows.length > 0 && !(0 in rows)) throw sparse();
        return rows;
      });
      this.#noteFailure(checked);
      return checked;
    };
    let result: Promise<Rows> | undefined;
    const rows = () => {
      result ??= check(query);
      return result;
    };
    return {
      values: () => check(query.values()),
      // biome-ignore lint/suspicious/noThenProperty: it stands for the query of the package, which is awaited, too
      then: (...on: Parameters<Promise<Rows>['then']>) => rows().then(...on),
      catch: (...on: Parameters<Promise<Rows>['catch']>) => rows().catch(...on),
    };
  }

  get #isLost(): boolean {
    return this.#lossesBefore !== null && this.#lossesBefore !== this.#losses;
  }

  /**
   * After a failed query or a loss, spends a rollback before the next caller: a query may fail with the error of the
   * lost connection, and a transaction whose own rollback failed is still open.
   * @throws the driver's error, if the connection cannot be mended
   */
  async #mend(): Promise<void> {
    for (let tried = 1; this.#hasFailed; tried++) {
      this.#hasFailed = false;
      try {
        await this.#client.unsafe('rollback');
      } catch (error) {
        this.#hasFailed = true;
        if (tried === MAX_MENDS) throw error;
      }
    }
  }

  async run<T>(work: (db: Db) => Promise<T>): Promise<T> {
    await this.#mend();
    return work(this.#db);
  }

  /** @param signal once it is aborted, the transaction is rolled back instead of committed */
  async transaction<T>(begin: string, work: (tx: Db) => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#mend();
    // Connects if necessary, so that losses from here on are losses of this transaction.
    await this.#db.execute(sql`select`);
    this.#lossesBefore = this.#losses;
    try {
      await this.#db.execute(sql.raw(begin));
      const result = await work(this.#db);
      signal.throwIfAborted();
      await this.#db.execute(sql`commit`);
      return result;
    } catch (error) {
      if (!this.#isLost) await this.#db.execute(sql`rollback`).catch(() => {});
      throw error;
    } finally {
      this.#lossesBefore = null;
    }
  }

  close(): Promise<void> {
    return this.#client.end({ timeout: 5 });
  }
}

export class PostgresPool {
  readonly #connections: readonly Connection[];
  readonly #pool: Pool<Connection>;

  constructor(url: string, options: PoolOptions) {
    this.#connections = Array.from({ length: options.size }, () => new Connection(url, options));
    this.#pool = new Pool(this.#connections);
  }

  /**
   * Runs `work` on a connection that nobody else uses meanwhile.
   * @param signal once it is aborted, work that waits for a connection is not started
   * @param tenant whose work it is (pool.ts)
   */
  run<T>(work: (db: Db) => Promise<T>, signal: AbortSignal, tenant: string | null): Promise<T> {
    return this.#pool.take((connection) => connection.run(work), signal, tenant);
  }

  /**
   * Runs `work` in a transaction.
   * @param signal once it is aborted, waiting work is not started, and a transaction is rolled back instead of
   * committed
   * @param tenant whose work it is (pool.ts)
   */
  transaction<T>(work: (tx: Db) => Promise<T>, signal: AbortSignal, tenant: string | null): Promise<T> {
    return this.#pool.take((connection) => connection.transaction('begin', work, signal), signal, tenant);
  }

  /** Runs `work` in a read-only transaction that sees one state of the database. */
  snapshot<T>(work: (tx: Db) => Promise<T>, signal: AbortSignal, tenant: string | null): Promise<T> {
    const begin = 'begin isolation level repeatable read read only';
    return this.#pool.take((connection) => connection.transaction(begin, work, signal), signal, tenant);
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }
}

/** The number of the advisory lock: one that nothing else on the server uses. */
const LOCK = 4_839_201_733;

/**
 * Updates the schema of a Postgres database with the migrations in drizzle/. If several instances start at once, one of
 * them migrates, under a lock of the database, and the others wait.
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
