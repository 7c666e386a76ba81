/**
 * Two replicas of a service with a dashboard, a real identity provider, and a database of their own.
 */

import { freePort } from '../../scripts/freePort.ts';
import { CLIENT, type Claims, startProvider, type TestProvider } from './provider.ts';
import { type Instance, startInstance } from './service.ts';
import { databaseEnv, KINDS } from './tenancy.ts';

export interface DashboardService {
  /** The one at which the provider sends people back. */
  readonly one: Instance;
  readonly other: Instance;
  readonly provider: TestProvider;
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Signs in people with an account at id.example; root is an administrator. */
export const claimsOf = (account: string): Claims => ({
  name: account,
  email: `${account}@id.example`,
  email_verified: account !== 'unverified',
});

/** @param more of the environment of both replicas */
export async function startDashboard(more: Readonly<Record<string, string>> = {}): Promise<DashboardService> {
  const [made, port] = await Promise.all([KINDS.Postgres(), freePort()]);
  const PUBLIC_URL = `http://127.0.0.1:${port}`;
  const provider = await startProvider({ dashboard: PUBLIC_URL, claimsOf });
  const env = {
    ...databaseEnv(made.url),
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    PUBLIC_URL,
    ADMINS: 'root@id.example',
    ...more,
  };
  const one = await startInstance({ keys: [], env, port });
  const other = await startInstance({ keys: [], env });
  return {
    one,
    other,
    provider,
    env,
    stop: async () => {
      await Promise.all([one.stop(), other.stop(), provider.stop()]);
      await made.drop();
    },
  };
}
