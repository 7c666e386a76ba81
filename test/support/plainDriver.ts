/**
 * A process that uses the postgres package's own pool and loses the connection of a transaction, between two statements
 * or during one, or whose query for array types fails while it connects. Run by test/store/driver.test.ts:
 * `plainDriver.ts <between|during|connecting> <database URL>`. Prints the names of the rows that were stored although
 * their transaction failed. Crashes or hangs if the package does.
 */
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { withoutArrayTypes } from './withoutArrayTypes.ts';

const [when = '', url = ''] = process.argv.slice(2);
if (when === 'connecting') {
  await connectWithoutTypes();
  process.stdout.write('[]');
  process.exit(0);
}

/** Connects by an address at which the query for array types fails. */
async function connectWithoutTypes(): Promise<void> {
  const address = await withoutArrayTypes(url);
  await postgres(address.url, { max: 1 })`select 1`.catch(() => {});
  // A rejection that nobody handles ends the process in the next iteration of the event loop.
  await pause(0);
}

const sql = postgres(url, { max: 1, onnotice: () => {}, backoff: () => 0.1 });
const other = postgres(url, { max: 1, onnotice: () => {} });
await other`create table ${other(when)} (name text)`;

/** Runs another caller's query on the pool, until the pool has connected again. */
async function useMeanwhile(): Promise<void> {
  for (let i = 0; i < 50; i++) {
    const isAnswered = await Promise.race([
      sql`select 1`.then(
        () => true,
        () => false,
      ),
      pause(200, false),
    ]);
    if (isAnswered) return;
    await pause(50);
  }
}

await sql
  .begin(async (tx) => {
    const [row] = await tx`select pg_backend_pid() as pid`;
    const terminate = () => other`select pg_terminate_backend(${row?.pid ?? 0})`;
    if (when === 'between') {
      await terminate();
      await useMeanwhile();
    } else {
      // A query of this package is sent once somebody waits for it.
      setTimeout(() => terminate().catch(() => {}), 100);
      await tx`select pg_sleep(5)`;
    }
    await tx`insert into ${other(when)} values ('outside')`;
  })
  .catch(() => {});
await useMeanwhile();
const rows = await other`select name from ${other(when)}`;
process.stdout.write(JSON.stringify(rows.map(({ name }) => name)));
process.exit(0);
