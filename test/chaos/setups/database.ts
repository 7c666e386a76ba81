/** Starts Postgres for a campaign. */
import { type PostgresServer, startPostgres } from '../../../scripts/postgresServer.ts';
import { until } from '../../support/until.ts';
import type { StoppablePart } from './part.ts';

export interface DatabasePart {
  readonly url: string;
  readonly part: StoppablePart;
}

/** Starts Postgres. It has a guard, and a folder, of its own. */
export async function startDatabase(): Promise<DatabasePart> {
  const server: PostgresServer = await startPostgres(() => {});
  const isRunning = () => isAlive(server.pid);
  return {
    url: server.url,
    part: {
      name: 'postgres',
      kind: 'postgres',
      host: '127.0.0.1',
      port: Number(new URL(server.url).port),
      get pid() {
        return server.pid;
      },
      get isRunning() {
        return isRunning();
      },
      log: () => '',
      signal: async (signal) => {
        process.kill(server.pid, signal);
        if (signal === 'SIGKILL' || signal === 'SIGTERM') await until('Postgres ends', () => !isRunning());
      },
      restart: () => server.restart(),
      stop: () => server.stop(),
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
