/**
 * PostgreSQL in two ways: a row that is inserted and deleted, and advisory locks, which end with their connection and
 * have no lease. Each client has a connection and uses prepared statements.
 */
import postgres from 'postgres';
import { startPostgres } from '../../scripts/postgresServer.ts';
import { freshName } from '../requests.ts';
import type { Peer } from './peer.ts';
import { newToken } from './redlock.ts';

/** Starts a server for both ways. */
export async function startPostgresPeers(say: (line: string) => void): Promise<readonly Peer[]> {
  const server = await startPostgres(say, { fsync: 'on', full_page_writes: 'on' });
  const pools: postgres.Sql[] = [];
  const connect = async (count: number) => {
    const sql = postgres(server.url, { max: count, onnotice: () => {} });
    pools.push(sql);
    // Each client keeps its connection, which owns its advisory locks.
    return Promise.all(Array.from({ length: count }, () => sql.reserve()));
  };
  const [sql] = await connect(1);
  const asked = await sql?.unsafe<{ version: string }[]>("select current_setting('server_version_num') as version");
  await sql?.unsafe('create table locks (name text primary key, token text not null)');
  const name = `PostgreSQL ${Math.floor(Number(asked?.[0]?.version) / 10_000)}`;
  const stop = async () => {
    for (const pool of pools.splice(0)) await pool.end({ timeout: 1 });
    await server.stop();
  };
  return [
    {
      pid: server.pid,
      name: `${name}, insert + delete (fsync)`,
      clients: async (count) =>
        (await connect(count)).map((sql) => async () => {
          const [name, token] = [freshName(), newToken()];
          const made = await sql`insert into locks values (${name}, ${token}) on conflict do nothing`;
          const gone = await sql`delete from locks where name = ${name} and token = ${token}`;
          if (made.count + gone.count !== 2) throw new Error(`${name} was taken or lost`);
        }),
      stop,
    },
    {
      pid: server.pid,
      name: `${name}, advisory lock (nothing on disk)`,
      clients: async (count) =>
        (await connect(count)).map((sql) => async () => {
          const name = freshName();
          const [taken] = await sql`select pg_try_advisory_lock(hashtextextended(${name}, 0)) as done`;
          const [freed] = await sql`select pg_advisory_unlock(hashtextextended(${name}, 0)) as done`;
          if (taken?.done !== true || freed?.done !== true) throw new Error(`${name} was taken or lost`);
        }),
      stop: async () => {},
    },
  ];
}
