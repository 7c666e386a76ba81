/**
 * A pool of connections to Postgres, each a client of its own that knows when its connection was lost. The postgres
 * package's own pool is not used, since its transactions go on, on another connection and outside any transaction, or
 * bring the process down, where their connection is lost on the way (porsager/postgres, issue 1208 and pull request
 * 1155).
 */
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import type { Db } from './db.ts';
import { Turns } from './turns.ts';

export interface PoolOptions {
  /** Connections at most; each is made when it is first needed. */
  readonly size: number;
  /** ms after which the server gives up on a statement. */
  readonly statementTimeoutMs: number;
}

/** As the postgres package says it, where it notices by itself. */
const lost = () => Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' });

class Connection {
  readonly db: Db;
  readonly #client: postgres.Sql;
  #losses = 0;
  /** Losses there were when the transaction that is open began. */
  #lossesBefore: number | null = null;

  constructor(url: string, { statementTimeoutMs }: PoolOptions) {
    this.#client = postgres(url, {
      max: 1,
      connect_timeout: 3,
      // As soon as the server is back it is to be found.
      backoff: () => 0.2,
      onnotice: () => {},
      onclose: () => {
        this.#losses++;
      },
      connection: { application_name: 'holdfast', statement_timeout: statementTimeoutMs },
    });
    const guarded = new Proxy(this.#client, {
      get: (client, name) => {
        if (name === 'unsafe' && this.#isLost) throw lost();
        return Reflect.get(client, name);
      },
    });
    this.db = drizzle(guarded);
  }

  get #isLost(): boolean {
    return this.#lossesBefore !== null && this.#lossesBefore !== this.#losses;
  }

  /** @param signal once it is aborted, nothing is committed */
  async transaction<T>(begin: string, work: (tx: Db) => Promise<T>, signal: AbortSignal): Promise<T> {
    // Connects, if need be, before anything counts as a loss.
    await this.db.execute(sql`select`);
    this.#lossesBefore = this.#losses;
    try {
      await this.db.execute(sql.raw(begin));
      const result = await work(this.db);
      signal.throwIfAborted();
      await this.db.execute(sql`commit`);
      return result;
    } catch (error) {
      if (!this.#isLost) await this.db.execute(sql`rollback`).catch(() => {});
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
  readonly #turns: Turns<Connection>;

  constructor(url: string, options: PoolOptions) {
    this.#connections = Array.from({ length: options.size }, () => new Connection(url, options));
    this.#turns = new Turns(this.#connections);
  }

  /**
   * Does some work on a connection that nobody else uses meanwhile.
   * @param signal once it is aborted, work that waits for a connection is not begun
   */
  run<T>(work: (db: Db) => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#turns.take(({ db }) => work(db), signal);
  }

  /**
   * Does some work in a transaction, whole or not at all.
   * @param signal as of run(); besides, nothing is committed any more
   */
  transaction<T>(work: (tx: Db) => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#turns.take((connection) => connection.transaction('begin', work, signal), signal);
  }

  /** Reads from one state of the database. */
  snapshot<T>(work: (tx: Db) => Promise<T>, signal: AbortSignal): Promise<T> {
    const begin = 'begin isolation level repeatable read read only';
    return this.#turns.take((connection) => connection.transaction(begin, work, signal), signal);
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }
}
