/**
 * The real PostgreSQL that the tests run on: TEST_DATABASE_URL if set, else a container where a Docker engine runs one,
 * else a server process of their own. Says which; there is no going without.
 */
import { GenericContainer, Wait } from 'testcontainers';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../../scripts/postgresServer.ts';
import { containedOrOwn, type TestServer } from './containers.ts';

declare module 'vitest' {
  interface ProvidedContext {
    databaseUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<unknown>> {
  const { what, url, stop } = await providePostgres();
  process.stdout.write(`Tests run on ${what}\n`);
  project.provide('databaseUrl', url);
  return stop;
}

async function providePostgres(): Promise<TestServer> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { what: 'the PostgreSQL of TEST_DATABASE_URL', url: given, stop: async () => {} };
  const contained = async () => {
    const container = await new GenericContainer('postgres:17-alpine')
      .withEnvironment({ POSTGRES_USER: 'holdfast', POSTGRES_DB: 'postgres', POSTGRES_HOST_AUTH_METHOD: 'trust' })
      .withCommand(['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=200'])
      .withExposedPorts(5432)
      // Twice: it starts once to make its data, once to stay.
      .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
      .start();
    const url = `postgres://holdfast@${container.getHost()}:${container.getMappedPort(5432)}/postgres`;
    return { what: 'a PostgreSQL container', url, stop: () => container.stop() };
  };
  return containedOrOwn('PostgreSQL', contained, async () => {
    const { url, stop } = await startPostgres((line) => process.stdout.write(`${line}\n`));
    return { what: 'a PostgreSQL process of their own', url, stop };
  });
}
