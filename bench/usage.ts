/**
 * Measures how long the usage of a resource and Insight take: from 10,000 entries in Redis without a database, and from
 * 1,000,000 rows of one tenant in Postgres. `node --import tsx bench/usage.ts` takes about two minutes, on a private
 * Redis and a private PostgreSQL.
 */
import { sql } from 'drizzle-orm';
import connect from 'postgres';
import { startPostgres } from '../scripts/postgresServer.ts';
import { startRedis } from '../scripts/redisServer.ts';
import type { History } from '../src/domain/history.ts';
import { DEFAULT_TIERS } from '../src/domain/tiers.ts';
import { keptHistory } from '../src/engine/history/kept.ts';
import { createRedis } from '../src/redis/client.ts';
import { defineScripts, loadScripts } from '../src/redis/scripts.ts';
import { Database } from '../src/store/database.ts';
import { historyInDatabase } from '../src/store/history.ts';
import { ensureOwner } from '../src/store/historyOwners.ts';
import { makePartitions } from '../src/store/historyPartitions.ts';
import { createLogger } from '../src/telemetry/log.ts';
import { changeHot } from '../test/support/hotRecord.ts';
import { addPast } from '../test/support/pastEntries.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;
const ROWS = 1_000_000;
const RESOURCES = 200;
const TIMES = 7;
const TENANT = 'bench-usage';
const now = Date.now();
const frame = { fromMs: now - WEEK_MS, toMs: now, stepMs: HOUR_MS };
const known = new Map(Array.from({ length: 10_000 }, (_, i) => [`pool${i}`, { capacity: 5, isTakenAlong: false }]));
const query = { fromMs: now - WEEK_MS, toMs: now, known, heldNow: [], outNow: [], limit: 20 };

async function time(title: string, work: () => Promise<unknown>): Promise<void> {
  const took: number[] = [];
  const cpu: number[] = [];
  for (let i = 0; i < TIMES; i++) {
    const start = performance.now();
    const before = process.cpuUsage();
    await work();
    took.push(performance.now() - start);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1000);
  }
  for (const all of [took, cpu]) all.sort((a, b) => a - b);
  process.stdout.write(
    `${title}: median ${Math.round(took[3] ?? 0)} ms, worst ${Math.round(took.at(-1) ?? 0)} ms, CPU of this process ${Math.round(cpu[3] ?? 0)} ms\n`,
  );
}

async function measure(where: string, history: History): Promise<void> {
  await time(`${where}: usage of a resource, 168 steps`, () => history.usage(TENANT, 'pool1', frame));
  await time(`${where}: usage of the one that most entries are of`, () => history.usage(TENANT, 'busy', frame));
  await time(`${where}: the resources of Insight`, () => history.pools(TENANT, query));
}

const server = await startRedis((line) => process.stdout.write(`${line}\n`));
const postgres = await startPostgres((line) => process.stdout.write(`${line}\n`));
const redis = createRedis(server.url, () => {});
defineScripts(redis, loadScripts(DEFAULT_TIERS));
await changeHot(redis, TENANT, { tier: 4 });
await addPast(
  redis,
  TENANT,
  Array.from({ length: 10_000 }, (_, i) => {
    const endedAt = now - Math.floor(((i * 7919) % 10_000) * (WEEK_MS / 10_000));
    const resource = i % 2 === 0 ? 'busy' : `pool${i % RESOURCES}`;
    return { resource, reservedAt: endedAt - HOUR_MS, endedAt, waitedMs: i };
  }),
);
await measure('10,000 entries in Redis', keptHistory(redis));

await redis.del(`{${TENANT}}:history`);
const database = await Database.open(postgres.url, 5, createLogger('silent'));
await database.run((db) => db.execute(sql`insert into tenants (id, name, tier) values (${TENANT}, 'Bench', 'Pro')`));
const owner = await ensureOwner(database, TENANT);
await makePartitions(
  database,
  Array.from({ length: 15 }, (_, week) => now + week * WEEK_MS),
);
// Without the time limit of the service's statements.
const plain = connect(postgres.url, { max: 1 });
await plain`
  insert into history (owner, ended_at, number, expires_at, position, resource, slots, requester, resource_type,
    is_shared, waited_ms, reserved_at, ending)
  select ${owner?.id ?? 0}::bigint, ended_at, i, ended_at + interval '90 days', i, resource, array[resource], 'q',
    'UserDefined', false, case when i % 3 = 0 then i % 600000 end, ended_at - interval '1 hour', 'RELEASED'
  from (
    select i, case when i % 2 = 0 then 'busy' else 'pool' || (i % ${RESOURCES}::int) end as resource,
      date_trunc('milliseconds', now() - random() * interval '7 days') as ended_at
    from generate_series(1, ${ROWS}::int) i
  ) rows`;
await plain`update history_owners set entries = ${ROWS}`;
await plain`vacuum analyze history`;
await plain.end();
await measure('1,000,000 rows in Postgres', historyInDatabase({ database, redis }, DEFAULT_TIERS));
await database.close();
redis.disconnect();
await postgres.stop();
await server.stop();
