/** What an administrator and the owner of a tenant do by HTTP while everything fails around them. */
import { beginSignIn, type SessionUser, SIGN_IN_MS } from '../../../src/engine/tenant/signIns.ts';
import { makeSession, parseSession } from '../../../src/identity/credentials.ts';
import { createRedis } from '../../../src/redis/client.ts';
import { OWNER } from '../../support/owner.ts';
import { until } from '../../support/until.ts';
import { ADMINISTRATOR, type System } from '../system.ts';

const ADMIN: SessionUser = { ...OWNER, email: ADMINISTRATOR };

/** A call that is repeated until it is answered. */
export type Administer = (method: string, path: string) => Promise<unknown>;

/** Signs an administrator in who is an owner of a tenant too, runs calls, and ends the connection. */
export async function asAdministrator<T>(
  system: System,
  tenant: string,
  run: (administer: Administer) => Promise<T>,
): Promise<T> {
  const redis = createRedis(system.redisUrl, () => {});
  const session = makeSession(tenant);
  const credential = parseSession(session);
  if (credential === null) throw new Error('a session that was just made cannot be read');
  const signIn = () =>
    beginSignIn({ redis }, credential, ADMIN, SIGN_IN_MS).then(
      () => true,
      () => false,
    );
  try {
    await until('the administrator is signed in', signIn);
    return await run(async (method, path) => {
      let body: unknown;
      await until(`${method} ${path} is answered`, async () => {
        const url = system.addresses[0]?.url ?? '';
        const headers = { Cookie: `holdfast_session=${session}`, Origin: url };
        const response = await fetch(url + path, { method, headers, signal: AbortSignal.timeout(5000) }).catch(
          () => null,
        );
        if (response?.status === 401) await signIn();
        if (response === null || response.status >= 500 || response.status === 401) return false;
        if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
        body = await response.json().catch(() => null);
        return true;
      });
      return body;
    });
  } finally {
    redis.disconnect();
  }
}

/** The status of a read with a key, at each address. */
export const statusesOf = (system: System, key: string): Promise<readonly (number | null)[]> =>
  Promise.all(
    system.addresses.map(({ url }) =>
      fetch(`${url}/api/v1/Resource/available/any`, {
        headers: { 'X-Api-Key': key },
        signal: AbortSignal.timeout(5000),
      }).then(
        ({ status, body }) => body?.cancel().then(() => status) ?? status,
        () => null,
      ),
    ),
  );
