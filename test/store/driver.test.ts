/**
 * Tells when a release of the postgres package makes our own pool unnecessary (src/store/postgresPool.ts): shows each
 * fault that the pool works round.
 */
import { execFile } from 'node:child_process';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeDatabase } from '../support/database.ts';

let made: Awaited<ReturnType<typeof makeDatabase>>;
beforeAll(async () => {
  made = await makeDatabase();
});
afterAll(() => made.drop());

/** Returns what the package did wrong; null if it did nothing wrong. */
const faultOf = (when: 'between' | 'during' | 'connecting') =>
  new Promise<string | null>((resolve, reject) => {
    const args = [inject('programs').plainDriver, when, made.url];
    execFile(process.execPath, args, { timeout: 40_000 }, (error, stdout, stderr) => {
      if (error?.killed) resolve('a query never settled');
      else if (/TypeError: .*null.*write/.test(stderr)) resolve('the process crashed');
      else if (/column a\.typcategorX does not exist/i.test(stderr)) resolve('the process crashed');
      else if (error) reject(error);
      else resolve(stdout === '[]' ? null : 'a query ran outside its transaction');
    });
  });

test('the postgres package still mishandles transactions that lose their connection', async () => {
  const faults = await Promise.all([faultOf('between'), faultOf('during')]);
  expect(
    faults.filter((fault) => fault !== null),
    'This release of postgres handles lost connections: src/store/postgresPool.ts can go',
  ).not.toEqual([]);
});

test('the postgres package still ends the process if its query for array types fails', async () => {
  expect(
    await faultOf('connecting'),
    'This release of postgres survives a failed query for array types: src/store/postgresPool.ts may allow it',
  ).toBe('the process crashed');
});

test('the postgres package still counts rows of a failed statement into the next answer', async () => {
  const client = postgres(made.url, { max: 1, onnotice: () => {} });
  try {
    await expect(client.unsafe('select 100 / (6 - g) from generate_series(1, 10) g')).rejects.toThrow('division');
    const answer = await client.unsafe('select 42 as id');
    expect(
      [...answer],
      'This release of postgres gives right answers after a failed statement: src/store/postgresPool.ts may trust it',
    ).toEqual([undefined, undefined, undefined, undefined, undefined, { id: 42 }]);
  } finally {
    await client.end();
  }
});
