/**
 * `npm run bench:store`: measures how long it takes to load a tenant with 100,000 definitions into an empty Redis, and
 * to start with a database of a million tenants. Takes about a minute, on a private Redis and a private PostgreSQL.
 */
import { sql } from 'drizzle-orm';
import { startPostgres } from '../scripts/postgresServer.ts';
import { startRedis } from '../scripts/redisServer.ts';
import { WorkingCopy } from '../src/definitions/workingCopy.ts';
import { DEFAULT_TIERS } from '../src/domain/tiers.ts';
import { createRedis } from '../src/redis/client.ts';
import { defineScripts, loadScripts } from '../src/redis/scripts.ts';
import { Database } from '../src/store/database.ts';
import { createLogger } from '../src/telemetry/log.ts';
import { longestMs, watchSlow } from './slowlog.ts';

const DEFINITIONS = 100_000;
const TENANTS = 1_000_000;

const server = await startRedis((line) => console.log(line));
const postgres = await startPostgres((line) => console.log(line));
const redis = createRedis(server.url, (error) => console.error(error.message));
defineScripts(redis, loadScripts(DEFAULT_TIERS));
const log = createLogger('warn');
let database = await Database.open(postgres.url, 5, log);

try {
  // A tree of 100 roots, 10 branches each, and leaves below these.
  await database.run((db) => db.execute(sql`insert into tenants (id, name, tier) values ('big', 'big', 'Enterprise')`));
  await database.run((db) =>
    db.execute(sql`
      insert into definitions (tenant_id, name, capacity, blocks, parent)
      select 'big', 'n' || i, 3, '{}', case when i < 100 then null when i < 1100 then 'n' || (i % 100) else 'n' || (100 + i % 1000) end
      from generate_series(0, ${sql.raw(String(DEFINITIONS - 1))}) i`),
  );
  const copy = new WorkingCopy(database, { redis, tiers: DEFAULT_TIERS });
  for (let round = 1; round <= 3; round++) {
    await redis.flushall();
    await watchSlow(redis, 100);
    const start = performance.now();
    await copy.refresh('big');
    const ms = performance.now() - start;
    const longest = await longestMs(redis, 100);
    console.log(
      `${DEFINITIONS} definitions loaded in ${ms.toFixed(0)} ms; longest Redis command ${longest.toFixed(2)} ms (round ${round})`,
    );
  }
  for (let from = 0; from < TENANTS; from += 100_000)
    await database.run((db) =>
      db.execute(sql`
        insert into tenants (id, name, tier, changed_at)
        select 't' || i, 'tenant', 'Free', now() - interval '30 days'
        from generate_series(${sql.raw(String(from))}, ${sql.raw(String(from + 99_999))}) i`),
    );
  await database.close();
  const start = performance.now();
  database = await Database.open(postgres.url, 5, log);
  const opened = performance.now();
  await new WorkingCopy(database, { redis, tiers: DEFAULT_TIERS }).refreshChanged(new Date(Date.now() - 86_400_000));
  const looked = performance.now();
  await new WorkingCopy(database, { redis, tiers: DEFAULT_TIERS }).refresh('t123456');
  console.log(
    `${TENANTS} tenants: opened in ${(opened - start).toFixed(0)} ms, compared what changed in ${(looked - opened).toFixed(0)} ms, one loaded in ${(performance.now() - looked).toFixed(1)} ms`,
  );
} finally {
  await database.close();
  redis.disconnect();
  await server.stop();
  await postgres.stop();
}
