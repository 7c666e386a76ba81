/**
 * A database that is slower than its callers: what nobody waits for any more is not done, and the queue is bounded.
 */
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { HoldfastError } from '../../src/domain/errors.ts';
import { Database } from '../../src/store/database.ts';
import { deleteDefinitions, putDefinitions } from '../../src/store/definitionRows.ts';
import { definitions, tenants } from '../../src/store/schema.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { KINDS, type TestDatabase } from '../support/tenancy.ts';

/** Something to wait for, and what ends the wait. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: unknown) => (error instanceof HoldfastError ? `${error.code}: ${error.message}` : error),
  );

describe.each(Object.entries(KINDS))('on %s', (_, make) => {
  let made: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    made = await make();
    database = await Database.open(made.url, 1, createLogger('silent'));
  });
  afterAll(async () => {
    await database.close();
    await made.drop();
  });

  const insert = (id: string) => ({ id, name: id, tier: 'Free' as const });
  const names = async () =>
    (await database.run((db) => db.select({ id: tenants.id }).from(tenants))).map(({ id }) => id);

  test('work is not begun, and a transaction not committed, once its caller has given up', async () => {
    const { opened, open } = gate();
    const slow = refusal(
      database.transaction(async (tx) => {
        await tx.insert(tenants).values(insert('slow'));
        await opened;
      }),
    );
    let begun = 0;
    const queued = [
      refusal(
        database.run(async (db) => {
          begun++;
          await db.insert(tenants).values(insert('queued-run'));
        }),
      ),
      refusal(
        database.transaction(async (tx) => {
          begun++;
          await tx.insert(tenants).values(insert('queued-transaction'));
        }),
      ),
    ];
    for (const outcome of await Promise.all([slow, ...queued])) expect(outcome).toContain('unavailable: ');
    open();
    expect(await names()).toEqual([]);
    expect(begun).toBe(0);
  });

  test('more calls than it can take are refused at once, and nothing is done', async () => {
    const { opened, open } = gate();
    const taken = Array.from({ length: 100 }, () =>
      refusal(
        database.run(async (db) => {
          await opened;
          await db.execute(sql`select`);
        }),
      ),
    );
    let begun = false;
    const refused = await refusal(
      database.run(async () => {
        begun = true;
      }),
    );
    expect([refused, begun]).toEqual([expect.stringContaining('unavailable: The database is overloaded'), false]);
    open();
    expect(new Set(await Promise.all(taken))).toEqual(new Set(['done']));
    expect(await refusal(database.run((db) => db.execute(sql`select`)))).toBe('done');
  });

  test('callers of several tenants get connections one after the other, however many one of them has', async () => {
    const { opened, open } = gate();
    const order: string[] = [];
    const calls = ['loud', 'loud', 'loud', 'quiet', null].map((tenant) =>
      database.of(tenant).run(async (db) => {
        await opened;
        await db.execute(sql`select`);
        order.push(tenant ?? 'nobody');
      }),
    );
    open();
    await Promise.all(calls);
    expect(order).toEqual(['loud', 'quiet', 'nobody', 'loud', 'loud']);
  });

  test('a tenant has a quarter of the calls: more are refused at once, and those of others are made', async () => {
    const { opened, open } = gate();
    const taken = Array.from({ length: 25 }, () => refusal(database.of('loud').run(() => opened)));
    expect(await refusal(database.of('loud').transaction(async () => {}))).toContain('overloaded: ');
    const others = [database.of('quiet').run(async () => {}), database.run(async () => {})].map(refusal);
    open();
    expect(new Set(await Promise.all([...taken, ...others]))).toEqual(new Set(['done']));
    expect(await refusal(database.of('loud').run(async () => {}))).toBe('done');
  });

  test('more definitions than one statement has parameters for are written and deleted whole', async () => {
    // On a slow machine, so many take longer than a caller waits.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const tenant = 'many-definitions';
    await database.run((db) => db.insert(tenants).values(insert(tenant)));
    const all = Array.from({ length: 10_000 }, (_, i) => ({ name: `n${i}`, capacity: 1, blocks: [], treePath: null }));
    await database.transaction((tx) => putDefinitions(tx, tenant, all));
    const stored = () => database.run((db) => db.$count(definitions, eq(definitions.tenantId, tenant)));
    expect(await stored()).toBe(10_000);
    const doomed = Array.from({ length: 66_000 }, (_, i) => `n${i + 1}`);
    await database.transaction((tx) => deleteDefinitions(tx, tenant, doomed));
    expect(await stored()).toBe(1);
  });
});

test('a tenant uses at most half of the connections to Postgres', async () => {
  const made = await KINDS.Postgres();
  const database = await Database.open(made.url, 4, createLogger('silent'));
  const { opened, open } = gate();
  let begun = 0;
  const slow = Array.from({ length: 60 }, () =>
    database.of('loud').run(async (db) => {
      begun++;
      await db.execute(sql`select`);
      await opened;
    }),
  );
  for (let i = 0; i < 3; i++)
    expect(await refusal(database.of('quiet').run((db) => db.execute(sql`select`)))).toBe('done');
  expect(begun).toBe(2);
  open();
  await Promise.all(slow);
  expect(begun).toBe(60);
  await database.close();
  await made.drop();
});
