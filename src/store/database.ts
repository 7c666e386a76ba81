/**
 * The database: Postgres through a pool of connections, or PGlite in this process
 * (docs/specification.md#store-modes-and-start). While it is unreachable, calls fail quickly and connections are
 * retried. The schema is updated as soon as the database can be reached.
 */
import { sql } from 'drizzle-orm';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import type { Logger } from 'pino';
import { z } from 'zod';
import { HoldfastError } from '../domain/errors.ts';
import { Outage } from '../domain/outage.ts';
import type { Connected, Db } from './db.ts';

const PGLITE = 'pglite:';

/** Time for which a caller waits for the database. */
const ANSWER_WITHIN_MS = 5000;
/** Maximum number of calls in flight for each connection, including calls in the queue. */
const IN_FLIGHT_PER_CONNECTION = 100;
const RETRY_MIGRATION_MS = 2000;
/** Interval at which a start that waits for the database says so. */
const TELL_EVERY_MS = 1000;

type Calls = Pick<Database, 'run' | 'transaction' | 'snapshot'>;

export class Database {
  readonly #connected: Connected;
  readonly #maxInFlight: number;
  readonly #outage: Outage;
  #inFlight = 0;
  #isMigrated = false;
  #isClosed = false;

  private constructor(connected: Connected, maxInFlight: number, log: Logger) {
    this.#connected = connected;
    this.#maxInFlight = maxInFlight;
    this.#outage = new Outage(log, CANNOT_BE_REACHED, 'the database is reachable again');
  }

  /**
   * Opens the database and updates its schema. If the database is unreachable, retries in the background.
   * @param url postgres:// or pglite:<folder>
   * @param poolSize maximum number of connections
   * @throws Error with a message for the operator, if the database is reachable and cannot be used
   */
  static async open(url: string, poolSize: number, log: Logger): Promise<Database> {
    const [connected, connections] = url.startsWith(PGLITE)
      ? [await (await import('./pglite.ts')).openPglite(url.slice(PGLITE.length), log), 1]
      : [await openPostgres(url, poolSize, log), poolSize];
    const database = new Database(connected, connections * IN_FLIGHT_PER_CONNECTION, log);
    const migrate = async () => {
      await database.#connected.migrate();
      database.#isMigrated = true;
      database.#outage.worked();
    };
    const tell = setInterval(() => log.warn('waiting for the database: still connecting or migrating'), TELL_EVERY_MS);
    try {
      await migrate().finally(() => clearInterval(tell));
    } catch (error) {
      if (!isUnreachable(error)) {
        await database.close();
        throw new Error(`the database cannot be used: ${error instanceof Error ? error.message : String(error)}`);
      }
      database.#outage.failed(error);
      const again = () => {
        if (database.#isClosed) return;
        migrate().catch((err: unknown) => {
          database.#outage.failed(err);
          setTimeout(again, RETRY_MIGRATION_MS).unref();
        });
      };
      setTimeout(again, RETRY_MIGRATION_MS).unref();
    }
    return database;
  }

  /** Returns true if the schema is up to date; false until the database could be reached. */
  get isMigrated(): boolean {
    return this.#isMigrated;
  }

  /**
   * Runs `work` on a connection.
   * @throws HoldfastError unavailable, if the database is unreachable or too slow: whether the work was done is then
   * unknown, but work in the queue is not started later; unavailable, if too many calls are in flight; the errors of
   * `work`
   */
  run<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.of(null).run(work);
  }

  /** Runs `work` in one transaction. Throws the errors of run(). */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    return this.of(null).transaction(work);
  }

  /** Runs `work`, which reads, on one state of the database. Throws the errors of run(). */
  snapshot<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    return this.of(null).snapshot(work);
  }

  /**
   * Returns the same calls for requests of a tenant, which has a share of the connections and of the calls in flight.
   * They also throw HoldfastError overloaded, if too many calls of the tenant are in flight.
   * @param tenant null: the calls are no tenant's, and not limited by it
   */
  of(tenant: string | null): Calls {
    const connected = this.#connected;
    return {
      run: (work) => this.#inTime((signal) => connected.run(work, signal, tenant)),
      transaction: (work) => this.#inTime((signal) => connected.transaction(work, signal, tenant)),
      snapshot: (work) => this.#inTime((signal) => connected.snapshot(work, signal, tenant)),
    };
  }

  /** Returns true if the database responds. */
  async isUp(): Promise<boolean> {
    return this.run((db) => db.execute(sql`select`)).then(
      () => true,
      () => false,
    );
  }

  async #inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (!this.#isMigrated) throw unreachable(new Error('the database has not been reached since the start'));
    if (this.#inFlight >= this.#maxInFlight) throw busy();
    const caller = new AbortController();
    const beganAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const cause = new Error('the database did not respond in time');
        const error = unreachable(cause);
        this.#outage.failed(cause);
        caller.abort(error);
        reject(error);
      }, ANSWER_WITHIN_MS);
    });
    this.#inFlight++;
    const done = work(caller.signal).finally(() => {
      this.#inFlight--;
    });
    try {
      const result = await Promise.race([done, late]);
      this.#outage.worked(beganAt);
      return result;
    } catch (error) {
      if (!isUnreachable(error)) throw causeOf(error);
      const cause = causeOf(error);
      if (!isOfOne(cause)) this.#outage.failed(cause);
      throw unreachable(cause);
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connected.close();
  }
}

async function openPostgres(url: string, size: number, log: Logger): Promise<Connected> {
  const [{ PostgresPool }, { migratePostgres }] = await Promise.all([
    import('./postgresPool.ts'),
    import('./postgresPool.ts'),
  ]);
  const pool = new PostgresPool(url, { size, statementTimeoutMs: ANSWER_WITHIN_MS });
  const onWait = () => log.warn('another process is migrating the database: waiting for it');
  return Object.assign(pool, { migrate: () => migratePostgres(url, onWait) });
}

const CANNOT_BE_REACHED = 'the database cannot be reached: requests that need it get 503';

const busy = () => new HoldfastError('unavailable', 'The database is overloaded. Nothing was done: repeat the call.');

const unreachable = (cause: unknown) =>
  new HoldfastError('unavailable', 'The database cannot be reached. The outcome is unknown: repeat the call.', {
    cause,
  });

/** The error of the driver. Drizzle wraps it in one whose message contains the query and its values. */
const causeOf = (error: unknown): unknown =>
  error instanceof DrizzleQueryError && error.cause !== undefined ? error.cause : error;

/** Codes of sockets and of the postgres package, and SQLSTATEs of a server that cannot serve at the moment. */
const UNREACHABLE =
  /^(ECONN\w+|ENOTFOUND|ENOENT|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|CONNECT_TIMEOUT|CONNECTION_\w+|08\w{3}|57P0[1-5]|57014|53\w{3}|25006|40001|40P01|55P03)$/;
const Coded = z.object({ code: z.string() });

function isUnreachable(error: unknown): boolean {
  const { data } = Coded.safeParse(causeOf(error));
  return data !== undefined && UNREACHABLE.test(data.code);
}

/** SQLSTATEs of a statement that was ended, or collided with another one, while the server serves others. */
const OF_ONE = /^(57014|40001|40P01|55P03)$/;
const isOfOne = (cause: unknown): boolean => OF_ONE.test(Coded.safeParse(cause).data?.code ?? '');

const UNIQUE_VIOLATION = '23505';

/** Returns true if an error reports that a row with this key exists. */
export const isDuplicate = (error: unknown): boolean => Coded.safeParse(causeOf(error)).data?.code === UNIQUE_VIOLATION;

const CHECK_VIOLATION = '23514';

/** Returns true if an error reports that a row fits into no partition. */
export const isNoPartition = (error: unknown): boolean =>
  Coded.safeParse(causeOf(error)).data?.code === CHECK_VIOLATION;
