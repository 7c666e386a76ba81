/**
 * People who sign in. Each belongs to a tenant, which their first sign-in creates
 * (docs/specification.md#dashboard-and-sign-in).
 */
import { randomBytes } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import type { Tier } from '../domain/tiers.ts';
import { isDuplicate } from './database.ts';
import type { NewKey } from './keys.ts';
import type { Store } from './records.ts';
import { users } from './schema.ts';
import { createTenant, type Identity } from './tenants.ts';

/** The tier of a new tenant. */
const FIRST_TIER: Tier = 'Free';
/** How many times an id is drawn, at most, until no other tenant has it. */
const MAX_TRIES = 5;

export interface User {
  readonly id: string;
  readonly tenant: string;
}

/**
 * Finds the user of an identity, or creates the user with a tenant and its default key.
 * @param makeKey makes a key for a new tenant
 * @throws HoldfastError unavailable
 */
export async function findOrCreateUser(
  store: Store,
  identity: Identity,
  makeKey: (tenant: string) => Promise<NewKey>,
): Promise<User> {
  for (let tried = 0; ; tried++) {
    const found = await findUser(store, identity);
    if (found !== null) return found;
    const name = identity.name ?? identity.email ?? identity.subject;
    const tenant = newTenantId(name);
    try {
      const defaultKey = await makeKey(tenant);
      const id = await createTenant(store, { id: tenant, name, tier: FIRST_TIER, identity, defaultKey });
      return { id, tenant };
    } catch (error) {
      // The same person has signed in in another window, or another tenant has the id.
      if (!isDuplicate(error) || tried === MAX_TRIES) throw error;
    }
  }
}

async function findUser({ database }: Store, { issuer, subject, email, name }: Identity): Promise<User | null> {
  const [user] = await database.run((db) =>
    db
      .update(users)
      .set({ email, name, signedInAt: new Date() })
      .where(and(eq(users.issuer, issuer), eq(users.subject, subject)))
      .returning({ id: users.id, tenant: users.tenantId }),
  );
  return user === undefined || user.tenant === null ? null : { id: user.id, tenant: user.tenant };
}

/** Makes an id of the recognizable part of a name and a random suffix. */
function newTenantId(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/@.*$/, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 30);
  return `${slug || 'tenant'}-${randomBytes(3).toString('hex')}`;
}
