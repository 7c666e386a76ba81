/**
 * One of each thing that a tenant can have, and that requests name by an id.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Ids } from './exampleRequests.ts';
import { makeToken, TOKENS } from './managementTokens.ts';
import type { Session } from './tenancy.ts';

/** Ids that nothing has. */
export const unknownIds = (): Ids => ({
  tenant: 'nobody',
  resource: `ci/${randomUUID()}`,
  releaseToken: randomUUID(),
  session: randomUUID(),
  sessionToken: randomUUID(),
  key: randomUUID(),
  token: randomUUID(),
  invitation: randomUUID(),
});

const INVITATIONS = '/api/v1/Tenant/invitations';
const Id = z.object({ id: z.string() });
const KEYS = '/api/v1/Tenant/keys';
const Key = z.object({ id: z.string(), label: z.string().nullable() });
const Held = z.object({ resource: z.string(), releaseToken: z.string() });
const Begun = z.object({ session: z.string(), token: z.string() });

interface Place {
  readonly url: string;
}

/** Makes one of each. */
export async function makeThings(owner: Session, { url }: Place, tenant: string): Promise<Ids> {
  const post = async (path: string, body: object) => (await owner.request(url, 'POST', path, body)).body;
  const requester = 'q';
  const resource = `ci/${randomUUID()}`;
  await post('/api/v1/Resource/register', [{ name: resource }]);
  const [held] = z.array(Held).parse(await post('/api/v1/Reservation/reserve', [{ resource, requester }]));
  const begun = Begun.parse(await post('/api/v1/Session', { requester, ttlSeconds: 600 }));
  const { id: key } = Key.parse(await post(KEYS, { label: 'theirs' }));
  const { id: token } = await makeToken(owner, { url }, ['usage']);
  const { id: invitation } = Id.parse(await post(INVITATIONS, { role: 'viewer' }));
  const { releaseToken = '' } = held ?? {};
  return { tenant, invitation, resource, releaseToken, session: begun.session, sessionToken: begun.token, key, token };
}

/** Those that still exist. */
export async function thingsLeft(owner: Session, { url }: Place, ids: Ids): Promise<Ids> {
  const read = async (path: string) => (await owner.request(url, 'GET', path)).body;
  const keys = z.array(Key).parse(await read(KEYS));
  const { tokens } = z.object({ tokens: z.array(z.object({ id: z.string() })) }).parse(await read(TOKENS));
  const reservations = z.array(Held.pick({ resource: true })).parse(await read(ACTIVE));
  const sessions = z.array(z.object({ session: z.string() })).parse(await read('/api/v1/Session'));
  const left = await read(INVITATIONS);
  const { invitations } = z.object({ invitations: z.array(Id) }).parse(left);
  return {
    ...ids,
    invitation: invitations[0]?.id ?? '',
    resource: reservations[0]?.resource ?? '',
    session: sessions[0]?.session ?? '',
    key: keys.find(({ label }) => label === 'theirs')?.id ?? '',
    token: tokens[0]?.id ?? '',
  };
}

const ACTIVE = '/api/v1/Reservation/activeReservations';
