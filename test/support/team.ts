/**
 * Members of tenants, as tests need them, on the database of `useTwoInstances`.
 */
import { randomUUID } from 'node:crypto';
import type { Known } from '../../src/domain/memberships.ts';
import type { Role } from '../../src/domain/rights.ts';
import { createInvitation } from '../../src/store/invitations.ts';
import { recordSignIn } from '../../src/store/signIns.ts';
import { BY, type Session, signIn, storeTenant } from './tenancy.ts';
import { store } from './twoInstances.ts';

export interface Person extends Session {
  readonly id: string;
  readonly known: Known;
  begin(): Promise<Session>;
}

/** Makes somebody a member, and signs them in. */
export async function member(tenant: string, role: Role): Promise<Person> {
  const subject = randomUUID();
  const person = { issuer: 'https://id.example', subject, email: `${subject}@id.example`, name: null, groups: ['lab'] };
  await createInvitation(store, tenant, { id: undefined, role, of: { email: person.email }, expiresInDays: 1 }, BY);
  const { userId: id } = await recordSignIn(store, person, '127.0.0.1', () => Promise.reject(new Error('a tenant')));
  const begin = () => signIn(store.redis, tenant, { ...person, id, role });
  return { ...(await begin()), id, known: { ...person, id }, begin };
}

/** Makes a tenant with an owner. */
export async function team() {
  const { tenant, key } = await storeTenant(store);
  return { tenant, key, owner: await member(tenant, 'owner') };
}
