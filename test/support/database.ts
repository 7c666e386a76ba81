/**
 * Databases for tests, on the one PostgreSQL that they share: each test file has its own.
 */
import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { inject } from 'vitest';

export interface Database {
  /** As for DATABASE_URL. */
  readonly url: string;
  /** Deletes it, and closes the connections to it that are still open. */
  drop(): Promise<void>;
}

/** Makes an empty database that is nobody else's. */
export async function makeDatabase(): Promise<Database> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await run(`create database ${name} template template0`);
  const url = new URL(inject('databaseUrl'));
  url.pathname = name;
  return { url: url.href, drop: () => run(`drop database ${name} with (force)`) };
}

async function run(statement: string): Promise<void> {
  const server = postgres(inject('databaseUrl'), { max: 1 });
  await server.unsafe(statement).finally(() => server.end());
}
