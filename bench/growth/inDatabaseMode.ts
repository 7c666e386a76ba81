/**
 * The stage with an instance in database mode, since an environment variable cannot hold many tenants. The database is
 * empty: the records that the service would copy to Redis are written there directly, so that it is never queried.
 */
import { startPostgres } from '../../scripts/postgresServer.ts';
import { cycle } from '../requests.ts';
import { pin, SERVICE, startServer } from '../servers.ts';
import { loadOver, type Stage } from '../stage.ts';

/** Replaces the stage's servers. */
export async function inDatabaseMode(stage: Stage): Promise<Stage> {
  await Promise.all([stage.service, stage.ceiling, stage.bareNode].map((server) => server.stop()));
  const postgres = await startPostgres(stage.say);
  const { API_KEYS: _, ...others } = stage.env;
  const env = { ...others, DATABASE_URL: postgres.url, KEY_SECRET: 'no key is ever sealed by this secret' };
  const service = await startServer(SERVICE, env);
  pin(0, [service.pid]);
  const changed: Stage = {
    ...stage,
    env,
    service,
    strike: async () => {
      await stage.strike();
      await postgres.stop();
    },
  };
  // A warm-up, so that it is compiled.
  for (let round = 0; round < 3; round++) await loadOver(changed, service, 64, (one) => cycle(one));
  return changed;
}
