/** What people change while callers call: keys, suspensions, definitions. */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { Key, KeyWithValue } from '../../../src/contract/keys.ts';
import { createClient } from '../../support/client.ts';
import { until } from '../../support/until.ts';
import type { Random } from '../random.ts';
import type { System, Tenant, Traits } from '../system.ts';
import { asAdministrator, statusesOf } from './administration.ts';
import { addressesOf, always, fault } from './make.ts';

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
