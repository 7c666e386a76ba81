/**
 * Transactions are whole or not at all, also where their connection is lost on the way.
 */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Database } from '../../src/store/database.ts';
import type { Db } from '../../src/store/db.ts';
import { PostgresPool } from '../../src/store/postgresPool.ts';
import { tenants } from '../../src/store/schema.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { KINDS, makeStore, type OwnStore } from '../support/tenancy.ts';
import { withoutArrayTypes } from '../support/withoutArrayTypes.ts';

const insert = (tx: Db, id: string) => tx.insert(tenants).values({ id, name: id, tier: 'Free' });

describe.each(Object.entries(KINDS))('on %s', (kind, make) => {
  let store: OwnStore;
  beforeAll(async () => {
    store = await makeStore({ make });
  });
  afterAll(() => store.close());
  const ids = async () => (await store.database.run((db) => db.select().from(tenants))).map(({ id }) => id).sort();

  test('what throws leaves nothing, and the connection is good for the next', async () => {
    const thrown = store.database.transaction(async (tx) => {
      await insert(tx, 'undone');
      throw new Error('no');
    });
    await expect(thrown).rejects.toThrow('no');
    const twice = store.database.transaction(async (tx) => {
      await insert(tx, 'same');
      await insert(tx, 'same');
    });
    await expect(twice).rejects.toMatchObject({ code: '23505' });
    await store.database.transaction((tx) => insert(tx, 'done'));
    expect(await ids()).toEqual(['done']);
  });

  test('a snapshot reads one state, and writes nothing', async () => {
    await expect(store.database.snapshot((tx) => insert(tx, 'written'))).rejects.toMatchObject({ code: 'unavailable' });
    expect(await ids()).toEqual(['done']);
  });

  // A PGlite has one connection.
  if (kind === 'PGlite') return;

  test('more than there are connections wait for each other', async () => {
    const sums = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        store.database.transaction(async (tx) => {
          await tx.execute(sql`select pg_sleep(0.01)`);
          return i;
        }),
      ),
    );
    expect(sums).toEqual(Array.from({ length: 40 }, (_, i) => i));
  });

  describe('after a statement that fails in the middle of its rows', () => {
    /** Of a store with one connection, so that what comes next is on the connection of the failed statement. */
    let single: { readonly database: Database };
    beforeAll(async () => {
      single = { database: await Database.open(store.url, 1, createLogger('silent')) };
    });
    afterAll(() => single.database.close());
    const FAILING = sql`select 100 / (6 - g) from generate_series(1, 10) g`;
    const fails = (db: Db) => expect(db.execute(FAILING)).rejects.toThrow();
    const answered = (db: Db) => db.select({ id: sql<number>`42` }).from(sql`(select) as one`);

    test('the next caller gets the right answer', async () => {
      await single.database.run(fails);
      expect(await single.database.run(answered)).toEqual([{ id: 42 }]);
    });

    test('so does the same caller', async () => {
      const rows = single.database.run(async (db) => {
        await fails(db);
        return answered(db);
      });
      expect(await rows).toEqual([{ id: 42 }]);
    });

    test('so does the caller after a transaction', async () => {
      await expect(single.database.transaction((tx) => tx.execute(FAILING))).rejects.toThrow();
      expect(await single.database.run(answered)).toEqual([{ id: 42 }]);
      expect(await single.database.transaction(answered)).toEqual([{ id: 42 }]);
    });

    test('a transaction that is still open is rolled back before the next caller', async () => {
      const left = single.database.run(async (db) => {
        await db.execute(sql`begin`);
        await db.execute(FAILING);
      });
      await expect(left).rejects.toMatchObject({ code: '22012' });
      expect(await single.database.run(answered)).toEqual([{ id: 42 }]);
    });

    test('an answer that was asked for at the same time is refused, not passed on with holes', async () => {
      const both = single.database.run((db) =>
        Promise.allSettled([db.execute(FAILING), db.execute(sql`select 42 as id`)]),
      );
      expect(await both).toMatchObject([
        { status: 'rejected' },
        { status: 'rejected', reason: { cause: { code: 'CONNECTION_OUT_OF_STEP' } } },
      ]);
      expect(await single.database.run(answered)).toEqual([{ id: 42 }]);
    });

    test('cancelled statements of one caller leave the answers of others right', async () => {
      const limited = (ms: number) => single.database.run((db) => db.execute(sql.raw(`set statement_timeout = ${ms}`)));
      const slow = sql`select repeat('x', 10000), pg_sleep(0.001) from generate_series(1, 1000) g`;
      await limited(20);
      for (let i = 0; i < 20; i++) {
        await expect(single.database.run((db) => db.execute(slow))).rejects.toMatchObject({ code: 'unavailable' });
        expect(await single.database.run(answered)).toEqual([{ id: 42 }]);
      }
      await limited(5000);
    });
  });

  test('connections ask for no array types, whose failure would end the process', async () => {
    const relay = await withoutArrayTypes(store.url);
    const pool = new PostgresPool(relay.url, { size: 1, statementTimeoutMs: 5000 });
    const signal = new AbortController().signal;
    expect(await pool.run((db) => db.select({ one: sql`1` }).from(sql`(select) as t`), signal, null)).toEqual([
      { one: 1 },
    ]);
    await pool.close();
    relay.stop();
  });

  describe('where the connection is lost', () => {
    const terminate = (pid: unknown) =>
      store.database.run((db) => db.execute(sql`select pg_terminate_backend(${pid})`));
    const pidOf = async (tx: Db) => {
      const [row] = Array.from((await tx.execute(sql`select pg_backend_pid() as pid`)) as Iterable<{ pid: number }>);
      return row?.pid;
    };

    test('between two of its statements', async () => {
      const broken = store.database.transaction(async (tx) => {
        await insert(tx, 'first');
        await terminate(await pidOf(tx));
        // Others use the pool meanwhile.
        await Promise.all(Array.from({ length: 10 }, ids));
        await insert(tx, 'second');
        await insert(tx, 'third');
      });
      await expect(broken).rejects.toMatchObject({ code: 'unavailable' });
      expect(await ids()).toEqual(['done']);
    });

    test('in the middle of a statement', async () => {
      const broken = store.database.transaction(async (tx) => {
        await insert(tx, 'first');
        const pid = await pidOf(tx);
        const sleeping = tx.execute(sql`select pg_sleep(3)`);
        setTimeout(() => void terminate(pid), 50);
        await sleeping;
      });
      await expect(broken).rejects.toMatchObject({ code: 'unavailable' });
      expect(await ids()).toEqual(['done']);
      await Promise.all(Array.from({ length: 20 }, (_, i) => store.database.transaction((tx) => insert(tx, `t${i}`))));
      expect(await ids()).toHaveLength(21);
    });
  });
});
