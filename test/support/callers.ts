/**
 * A credential of each kind that there is (src/http/reference/callers.ts), for one tenant: the headers that carry it.
 */

import { randomUUID } from 'node:crypto';
import { KEY_PERMISSIONS, ROLES, SCOPES } from '../../src/domain/rights.ts';
import { tokenText } from '../../src/domain/tenants.ts';
import type { ConfiguredKey } from '../../src/identity/configured.ts';
import { digestOf, makeKey, makeToken, parseKey } from '../../src/identity/credentials.ts';
import { keyOfCredential } from '../../src/redis/keys.ts';
import { apiKeys } from '../../src/store/schema.ts';
import { bearer, makeToken as makeManagementToken } from './managementTokens.ts';
import { enrol, type OpenStore, signIn } from './tenancy.ts';

type Headers = Readonly<Record<string, string>>;

interface KeyRow {
  readonly permission?: (typeof KEY_PERMISSIONS)[number];
  readonly prefix?: string;
  readonly expiresAt?: Date;
}

/** Adds a key to a tenant that no instance has used yet. */
export async function storeKey({ database }: OpenStore, tenantId: string, row: KeyRow): Promise<Headers> {
  const key = makeKey(tenantId);
  await database.run((db) => db.insert(apiKeys).values({ tenantId, digest: digestOf(key), sealed: '', ...row }));
  return { 'X-Api-Key': key };
}

/** Makes a derived token that acts for `q`. */
async function deriveToken({ redis }: OpenStore, tenant: string): Promise<Headers> {
  const token = makeToken(tenant, 'q');
  const credential = parseKey(token);
  if (credential === null) throw new Error('a token that was just made cannot be read');
  const grant = tokenText({ permission: 'reserve', prefix: '', maxPriority: 0 });
  await redis.set(keyOfCredential(credential), grant, 'PX', 600_000);
  return { 'X-Api-Key': token };
}

/**
 * @param tenant one that no instance has used yet, with root@id.example as an administrator
 * @returns the headers by the name of the caller
 */
export async function makeCallers(
  store: OpenStore,
  { tenant, key }: ConfiguredKey,
  instance: { readonly url: string },
): Promise<ReadonlyMap<string, Headers>> {
  const callers = new Map<string, Headers>([['nobody', {}]]);
  for (const permission of KEY_PERMISSIONS)
    callers.set(permission, await storeKey(store, tenant, { permission, prefix: '' }));
  callers.set('full', { 'X-Api-Key': key });
  callers.set('full with a prefix', await storeKey(store, tenant, { permission: 'full', prefix: 'ci/' }));
  callers.set('derived token', await deriveToken(store, tenant));
  const cookieOf = async (user: object) => {
    const { cookie } = await signIn(store.redis, tenant, user);
    return { Cookie: cookie, Origin: instance.url };
  };
  // People whose address is `q`: members may cancel and release their own.
  for (const role of ROLES) {
    const id = randomUUID();
    await enrol(store, tenant, role, id);
    callers.set(role, await cookieOf({ role, id, email: 'q' }));
  }
  callers.set('administrator', await cookieOf({ role: 'viewer', id: randomUUID(), email: 'root@id.example' }));
  const owner = await signIn(store.redis, tenant);
  for (const scope of SCOPES) {
    const { token } = await makeManagementToken(owner, instance, [scope]);
    callers.set(scope, { Authorization: bearer(token).Authorization });
  }
  return callers;
}
