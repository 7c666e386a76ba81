/**
 * The schema (drizzle/): made once, however many start at the same time.
 */
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { Database } from '../../src/store/database.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { databaseEnv, KINDS, type TestDatabase } from '../support/tenancy.ts';
import { until } from '../support/until.ts';

const log = createLogger('silent');
const JOURNAL = 'drizzle/meta/_journal.json';

describe('migrations', () => {
  let made: TestDatabase;
  beforeAll(async () => {
    made = await KINDS.Postgres();
  });
  afterAll(() => made.drop());

  test('run once, however many instances start on an empty database', async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => Database.open(made.url, 2, log)));
    const applied = await opened[0]?.run((db) => db.execute(sql`select * from drizzle.__drizzle_migrations`));
    expect(applied).toHaveLength(JSON.parse(readFileSync(JOURNAL, 'utf8')).entries.length);
    await Promise.all(opened.map((database) => database.close()));
  });

  test('are what the schema says: generating them again finds nothing to do', async () => {
    const { stdout } = await promisify(execFile)('node_modules/.bin/drizzle-kit', ['generate'], { encoding: 'utf8' });
    expect(stdout).toContain('No schema changes');
  });

  test('npm run db:migrate says that it waits for another process that migrates, and SIGTERM ends it at once', async () => {
    const other = postgres(made.url, { max: 1 });
    await other`select pg_advisory_lock(4839201733)`;
    const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/migrate.ts'], {
      env: { ...process.env, ...databaseEnv(made.url) },
    });
    let output = '';
    child.stdout.on('data', (text) => {
      output += text;
    });
    const ended = new Promise((resolve) => child.once('close', (...how) => resolve(how)));
    await until(
      'it says so',
      () => output.includes('another process is migrating the database: waiting for it'),
      30_000,
    );
    child.kill('SIGTERM');
    // By a code, not by the signal: that would not end the first process of a container.
    expect(await ended).toEqual([143, null]);
    await other.end();
  });

  test('npm run db:migrate runs them, and says that it cannot', async () => {
    const run = (env: Record<string, string>, ...options: string[]) =>
      promisify(execFile)(process.execPath, [inject('programs').migrate, ...options], {
        env: { ...process.env, ...env },
      });
    expect((await run(databaseEnv(made.url))).stdout).toBe('The schema is up to date.\n');
    await expect(run({ DATABASE_URL: '' })).rejects.toMatchObject({ stderr: expect.stringContaining('DATABASE_URL') });
    await expect(run(databaseEnv(made.url), '--check-config')).rejects.toMatchObject({
      stderr: expect.stringContaining('there are no options'),
    });
    const nowhere = databaseEnv('postgres://nobody@127.0.0.1:1/nothing');
    await expect(run(nowhere)).rejects.toMatchObject({ stderr: 'holdfast: the database cannot be reached\n' });
  });
});

describe('a folder of PGlite’s', () => {
  test('is closed to other users of the machine, even if it existed and was open', async () => {
    const made = await KINDS.PGlite();
    const folder = made.url.slice('pglite:'.length);
    await chmod(folder, 0o755);
    const database = await Database.open(made.url, 1, log);
    expect(((await stat(folder)).mode & 0o777).toString(8)).toBe('700');
    await database.close();
    await made.drop();
  });

  test('takes one process at a time', async () => {
    const made = await KINDS.PGlite();
    const one = await Database.open(made.url, 1, log);
    await expect(Database.open(made.url, 1, log)).rejects.toThrow(/in use by another process/);
    await one.close();
    const other = await Database.open(made.url, 1, log);
    await other.close();
    await made.drop();
  });
});
