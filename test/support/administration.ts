/**
 * Two instances on one database, with a user of a tenant and an administrator signed in. `useAdministration`
 * starts and stops them.
 */
import { afterAll, beforeAll } from 'vitest';
import type { ConfiguredKey } from '../../src/identity/configured.ts';
import { type Instance, startInstance } from './service.ts';
import { startWithoutRenewals } from './streams.ts';
import { databaseEnv, makeStore, type OwnStore, type Session, signIn, storeTenant } from './tenancy.ts';

export const ADMIN = '/api/v1/admin/tenants';
export let store: OwnStore;
export let own: ConfiguredKey;
export let holdfast: Instance;
export let other: Instance;
export let user: Session;
/** An administrator. */
export let admin: Session;

/** To be called at the top of a test file. */
export function useAdministration(): void {
  beforeAll(async () => {
    store = await makeStore();
    own = await storeTenant(store, 'Starter');
    const env = { ...databaseEnv(store.url), ADMINS: 'root@id.example, the-subject', ADMIN_GROUP: 'operators' };
    const start = () => startInstance({ keys: [own], env });
    [holdfast, other] = await startWithoutRenewals(() => Promise.all([start(), start()]));
    user = await signIn(store.redis, own.tenant);
    admin = await signIn(store.redis, own.tenant, { email: 'root@id.example' });
  });
  afterAll(async () => {
    await Promise.all([holdfast.stop(), other.stop()]);
    await store.close();
  });
}

export const asAdmin = <Body>(method: string, path: string, body?: unknown) =>
  admin.request<Body>(holdfast.url, method, ADMIN + path, body);
export const trail = async (id: string) =>
  (await asAdmin<{ id: number; actor: string; action: string; details: object }[]>('GET', `/${id}/audit`)).body;
