/** Starts Postgres for a campaign. */
import { execFileSync } from 'node:child_process';
import { isAlive } from '../../../scripts/isAlive.ts';
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
        // Those who serve connections would go on without the one that started them.
        const stops = signal === 'SIGSTOP' || signal === 'SIGCONT';
        for (const pid of [server.pid, ...(stops ? childrenOf(server.pid) : [])]) process.kill(pid, signal);
        if (signal === 'SIGKILL' || signal === 'SIGTERM') await until('Postgres ends', () => !isRunning());
      },
      restart: () => server.restart(),
      stop: () => server.stop(),
    },
  };
}

function childrenOf(parent: number): readonly number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid] : []));
}
