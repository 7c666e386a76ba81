/** Acts of an administrator and the owner of a tenant by HTTP, while everything fails around them. */

import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { Key, KeyWithValue } from '../../../src/contract/keys.ts';
import { beginSignIn, type SessionUser, SIGN_IN_MS } from '../../../src/engine/tenant/signIns.ts';
import { makeSession, parseSession } from '../../../src/identity/credentials.ts';
import { createRedis } from '../../../src/redis/client.ts';
import { createClient } from '../../support/client.ts';
import { OWNER } from '../../support/tenancy.ts';
import { until } from '../../support/until.ts';
import type { Random } from '../random.ts';
import { ADMINISTRATOR, type System, type Tenant, type Traits } from '../system.ts';
import { addressesOf, always, fault } from './make.ts';

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

/** People change keys, suspensions and definitions while callers call. */

const hasDatabase = ({ hasDatabase: has }: Traits) => has;

const tenantFor = (system: System, use: Tenant['use']): Tenant => {
  const tenant = system.tenants.find((one) => one.use === use);
  if (tenant === undefined) throw new Error(`there is no tenant for ${use}`);
  return tenant;
};

/** @throws Error unless all addresses that answer give this status */
async function expectStatus(system: System, key: string, status: number, what: string): Promise<void> {
  const statuses = await statusesOf(system, key);
  const wrong = statuses.findIndex((one) => one !== null && one < 500 && one !== status);
  if (wrong >= 0) throw new Error(`${what} gets ${statuses[wrong]} at ${addressesOf(system)[wrong]}`);
}

/** "A key that is rotated is dead on every instance when the call returns." */
const rotateKey = fault('rotate-key', hasDatabase, async (system, random) => {
  const tenant = tenantFor(system, 'turned');
  const times = random.between(1, 3);
  await asAdministrator(system, tenant.tenant, async (administer) => {
    const [{ id } = { id: '' }] = z.array(Key).parse(await administer('GET', '/api/v1/Tenant/keys'));
    for (let i = 0; i < times; i++) {
      const old = tenant.key;
      tenant.key = KeyWithValue.parse(await administer('POST', `/api/v1/Tenant/keys/${id}/rotate`)).key;
      await expectStatus(system, old, 401, 'a rotated key');
      await expectStatus(system, tenant.key, 200, 'a new key');
      await pause(random.between(0, 500));
    }
  });
  const detail = `rotated the key of ${tenant.tenant}, ${times} times`;
  return { targets: [], sparedAddresses: addressesOf(system), detail };
});

const suspendTenant = fault('suspend-tenant', hasDatabase, async (system, random) => {
  const [tenant, main] = [tenantFor(system, 'turned'), tenantFor(system, 'main')];
  const ms = random.between(200, 3000);
  await asAdministrator(system, main.tenant, async (administer) => {
    const path = `/api/v1/admin/tenants/${tenant.tenant}`;
    try {
      await administer('POST', `${path}/suspend`);
      await expectStatus(system, tenant.key, 403, 'a suspended tenant');
      await pause(ms);
    } finally {
      await administer('POST', `${path}/resume`);
    }
    await expectStatus(system, tenant.key, 200, 'a resumed tenant');
  });
  const detail = `suspended ${tenant.tenant} for ${ms} ms`;
  return { targets: [], sparedAddresses: addressesOf(system), detail };
});

/** Registers, grows, shrinks and moves definitions in quick succession. Nobody reserves them. */
const changeDefinitions = fault('change-definitions', always, async (system, random) => {
  const { key } = tenantFor(system, 'main');
  const client = createClient(random.pick(system.addresses).url, key);
  const names = ['change0', 'change1', 'change2'];
  const times = random.between(10, 40);
  for (let i = 0; i < times; i++) await client.register(someDefinition(random, names)).catch(() => null);
  await until('its definitions are deleted', async () => {
    const answers = await Promise.all(names.map((name) => client.delete(name, '?cascade=true').catch(() => null)));
    return answers.every((answer) => answer !== null && answer.status < 500);
  });
  const detail = `registered ${names.join(', ')}, ${times} times`;
  return { targets: [], sparedAddresses: addressesOf(system), detail };
});

const someDefinition = (random: Random, names: readonly string[]) => ({
  name: random.pick(names),
  capacity: random.between(1, 50),
  treePath: random.pick(['root', 'root>branch', null]),
  blocks: random.chance(0.3) ? ['rail'] : null,
});

export const TENANT_FAULTS = [rotateKey, suspendTenant, changeDefinitions];
