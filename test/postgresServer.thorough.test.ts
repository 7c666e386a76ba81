import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { afterEach, expect, test } from 'vitest';
import { isAlive } from '../scripts/isAlive.ts';
import { startPostgres } from '../scripts/postgresServer.ts';
import { until } from './support/until.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const PARENT = `
  import { startPostgres } from './scripts/postgresServer.ts';
  const server = await startPostgres(() => {});
  console.log('server ' + server.pid);
  setInterval(() => {}, 1_000);`;

/** A process that runs a PostgreSQL and nothing else. */
async function startParent(): Promise<{ parent: ChildProcess; pid: number; folder: string }> {
  const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type', 'module', '--eval', PARENT], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanups.push(() => parent.kill('SIGKILL'));
  let output = '';
  parent.stdout.on('data', (chunk) => (output += chunk));
  const [, line] = await until('the server', () => /server (\d+)/.exec(output), 60_000);
  const pid = Number(line);
  return { parent, pid, folder: dirname(readlinkSync(`/proc/${pid}/cwd`)) };
}

test.each(['SIGCONT', 'SIGSTOP', 'SIGKILL'] as const)(
  'a kill takes its PostgreSQL along, sent %s before',
  async (signal) => {
    const { parent, pid, folder } = await startParent();
    process.kill(pid, signal);
    parent.kill('SIGKILL');
    await until('the server and its folder are gone', () => !existsSync(folder) && !existsSync(`/proc/${pid}`));
  },
);

test('a restart after a kill brings back what was committed, at the same address', async () => {
  const server = await startPostgres(() => {});
  cleanups.push(() => server.stop());
  // A client each, and an end to waiting: one of postgres 3.4 may be left by a kill with a query that never ends, and
  // fail its next with the last one's error.
  const connect = () => {
    const sql = postgres(server.url, { max: 1 });
    cleanups.push(() => sql.end({ timeout: 0 }));
    return sql;
  };
  const before = connect();
  await before`create table kept as select 7 as value`;
  const { pid } = server;
  process.kill(pid, 'SIGKILL');
  await until('it is dead', () => !isAlive(pid));
  await server.restart();
  expect(await connect()`select value from kept`).toMatchObject([{ value: 7 }]);
});
