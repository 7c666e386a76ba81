/**
 * `npm run bench:history`: measures pages of a history of 10 million entries over a year, 9 million of them of one
 * tenant, and how fast entries are moved from Redis. Takes about ten minutes, on a private Redis and a private
 * PostgreSQL. `ROWS=1000000` takes fewer.
 */
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { startPostgres } from '../scripts/postgresServer.ts';
import { startRedis } from '../scripts/redisServer.ts';
import type { HistoryFilter } from '../src/domain/history.ts';
import { DEFAULT_TIERS } from '../src/domain/tiers.ts';
import { createRedis } from '../src/redis/client.ts';
import { historyKey } from '../src/redis/keys.ts';
import { defineScripts, loadScripts } from '../src/redis/scripts.ts';
import { Database } from '../src/store/database.ts';
import { historyInDatabase } from '../src/store/history.ts';
import { makePartitions } from '../src/store/historyPartitions.ts';
import { moveHistory } from '../src/store/moveHistory.ts';
import { createLogger } from '../src/telemetry/log.ts';

const ROWS = Number(process.env.ROWS ?? 10_000_000);
const PART = 500_000;
const YEAR_MS = 365 * 86_400_000;
const LOOKS = 200;
const MOVED = 50_000;

const settings = { shared_buffers: '1GB', max_wal_size: '20GB', maintenance_work_mem: '512MB' };
const postgresServer = await startPostgres((line) => console.log(line), settings);
const redisServer = await startRedis((line) => console.log(line));
const database = await Database.open(postgresServer.url, 5, createLogger('warn'));
const redis = createRedis(redisServer.url, (error) => console.error(error.message));
defineScripts(redis, loadScripts(DEFAULT_TIERS));
const store = { database, redis };
const admin = postgres(postgresServer.url, { max: 1, onnotice: () => {} });
const now = Date.now();

/** Makes tenant `big` with nine tenths of the entries, and `small-1` to `small-9`. */
async function fill(): Promise<void> {
  const ids = ['big', ...Array.from({ length: 9 }, (_, i) => `small-${i + 1}`)];
  for (const id of ids) {
    await admin`insert into tenants ${admin({ id, name: id, tier: 'Enterprise' })}`;
    await admin`insert into history_owners (tenant_id, entries, moved_to) values (${id}, ${ROWS}, '1-0')`;
  }
  const weeks = Array.from({ length: 54 }, (_, i) => now + i * 7 * 86_400_000);
  await makePartitions(database, weeks);
  const indexes = await admin`
    select indexname as name, indexdef as made from pg_indexes where tablename = 'history' order by 1`;
  for (const { name } of indexes) await admin.unsafe(`drop index ${name}`);
  for (let from = 0; from < ROWS; from += PART) {
    // A resource and a requester that are rare but for a month long ago; each other has some thousand entries.
    await admin.unsafe(`
      insert into history (owner, ended_at, number, expires_at, position, resource, slots, requester, resource_type,
        is_shared, reserved_at, ending, waited_ms)
      select case when i % 10 = 0 then 2 + i / 10 % 9 else 1 end, at, 1790000000000000 + i, at + interval '365 days', i,
        case when i % 3 = 0 then 'common' when i between ${ROWS / 10} and ${ROWS / 5} then 'once' else 'pool-' || i % 997 end,
        '{slot}', case when i % 2 = 0 then 'everybody' else 'ci-' || i % 4999 end, 'UserDefined', false,
        at - interval '1 minute', 'RELEASED', null
      from (select i, to_timestamp(${now / 1000} - ${YEAR_MS / 1000} + 60 + i * ${(YEAR_MS / 1000 - 120) / ROWS}) as at
        from generate_series(${from}, ${Math.min(ROWS, from + PART) - 1}) i) rows`);
    console.log(`${from + PART} entries`);
  }
  for (const { made } of indexes) await admin.unsafe(made.replace(' ON ONLY ', ' ON '));
  await admin`analyze history`;
}

const percentile = (times: readonly number[], share: number) =>
  (times.toSorted((a, b) => a - b)[Math.ceil(share * times.length) - 1] ?? 0).toFixed(1);

async function look(name: string, filters: (i: number) => HistoryFilter, deep: boolean): Promise<void> {
  const history = historyInDatabase(store, DEFAULT_TIERS, () => now);
  const times: number[] = [];
  let found = 0;
  for (let i = 0; i < LOOKS; i++) {
    const cursor = deep ? `${now - Math.floor(((i + 1) / (LOOKS + 1)) * YEAR_MS)}-1` : undefined;
    const start = performance.now();
    const { entries } = await history.page('big', filters(i), cursor, 50);
    times.push(performance.now() - start);
    found += entries.length;
  }
  const page = deep ? 'from a cursor' : 'first page';
  console.log(
    `${name}, ${page}: p50 ${percentile(times, 0.5)} ms, p95 ${percentile(times, 0.95)} ms (${found / LOOKS} entries)`,
  );
}

async function looks(): Promise<void> {
  const week = (i: number) => ({
    from: new Date(now - (i + 2) * 86_400_000),
    to: new Date(now - (i % 9) * 86_400_000),
  });
  const cases: [string, (i: number) => HistoryFilter][] = [
    ['all', () => ({})],
    ['resource', (i) => ({ resource: `pool-${i}` })],
    ['resource of long ago', () => ({ resource: 'once' })],
    ['requester', (i) => ({ requester: `ci-${i * 2 + 1}` })],
    ['resource and requester', (i) => ({ resource: 'common', requester: `ci-${i * 6 + 3}` })],
    ['common resource and requester that never meet', () => ({ resource: 'once', requester: 'ci-3' })],
    ['common resource and common requester', () => ({ resource: 'common', requester: 'everybody' })],
    ['from and to', week],
    ['resource, from and to', (i) => ({ resource: 'common', ...week(i) })],
    ['nothing found', () => ({ resource: 'no such', requester: 'nobody' })],
  ];
  for (const [name, filters] of cases) for (const deep of [false, true]) await look(name, filters, deep);
}

/** Moves entries of a tenant that has many, and of tenants that have one each. */
async function moves(): Promise<void> {
  const plain = new Redis(redisServer.url);
  const entry = (number: number) =>
    JSON.stringify({
      ...{ number, resource: `r-${number % 100}`, requester: `q-${number % 50}`, type: '', label: '' },
      ...{ mode: 'EXCLUSIVE', since: now - 1000, at: now, ending: 'ELAPSED' },
    });
  const adding = plain.pipeline();
  for (let i = 0; i < MOVED; i++) adding.xadd(historyKey('big'), '*', 'W', entry(i));
  for (let i = 1; i <= 9; i++) adding.xadd(historyKey(`small-${i}`), '*', 'W', entry(i));
  await adding.exec();
  const cpu = process.cpuUsage();
  const start = performance.now();
  const { entries } = await moveHistory(store, 'big', { tiers: DEFAULT_TIERS, maxBatches: MOVED });
  const s = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const cost = (user + system) / entries;
  console.log(`${(entries / s).toFixed(0)} entries/s moved; the worker needs ${cost.toFixed(0)} µs of CPU for each`);
  const small = performance.now();
  for (let i = 1; i <= 9; i++) await moveHistory(store, `small-${i}`, { tiers: DEFAULT_TIERS, maxBatches: 1 });
  console.log(`a tenant with one entry: ${((performance.now() - small) / 9).toFixed(1)} ms`);
  const stats = await plain.info('commandstats');
  for (const command of ['xdel', 'xrange']) {
    const [, calls, us] = new RegExp(`cmdstat_${command}:calls=(\\d+),usec=(\\d+)`).exec(stats) ?? [];
    console.log(`Redis: ${calls} ${command}, ${us} µs`);
  }
  plain.disconnect();
}

try {
  const start = performance.now();
  await fill();
  const [size] = await admin`
    select sum(pg_total_relation_size(inhrelid))::bigint as bytes from pg_inherits where inhparent = 'history'::regclass`;
  console.log(
    `${ROWS} entries in ${((performance.now() - start) / 1000).toFixed(0)} s, ${(Number(size?.bytes) / ROWS).toFixed(0)} bytes each with indexes`,
  );
  await looks();
  await moves();
} finally {
  await admin.end();
  await database.close();
  redis.disconnect();
  await redisServer.stop();
  await postgresServer.stop();
}
