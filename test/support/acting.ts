/**
 * People who act on resources on the pages of an instance. `useActing` starts and stops it.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import type { Role } from '../../src/domain/rights.ts';
import type { SessionUser } from '../../src/engine/tenant/signIns.ts';
import type { ConfiguredKey } from '../../src/identity/configured.ts';
import { ask } from './ask.ts';
import { type Instance, startInstance } from './service.ts';
import { signIn } from './tenancy.ts';

export let holdfast: Instance;

/**
 * To be called at the top of a test file.
 * @param keys those of its tenants, the first of which acts. Default: one of a new tenant
 */
export function useActing(keys?: readonly ConfiguredKey[]): void {
  beforeAll(async () => {
    holdfast = await startInstance(keys && { keys });
  });
  afterAll(() => holdfast.stop());
}

/** Signs in a person and returns how they look at pages and send forms. */
export async function person(
  role: Role = 'member',
  email: string | null = `${randomUUID()}@id.example`,
  more: Partial<SessionUser> = {},
) {
  const { cookie } = await signIn(holdfast.redis, holdfast.tenant, { role, email, ...more });
  const headers = { Cookie: cookie, Origin: holdfast.url };
  return {
    headers,
    requester: `person:${email}`,
    get: (path: string) => ask(`${holdfast.url}/dashboard${path}`, { headers }),
    post: (path: string, fields: Record<string, string>) =>
      ask(`${holdfast.url}/dashboard${path}`, { headers, method: 'POST', body: new URLSearchParams(fields) }),
  };
}

/** The reservations of a resource. */
export const active = async (resource: string) =>
  (
    await holdfast.request<{ requester: string; note?: string; expiresAt: string | null; slots?: string[] }[]>(
      'GET',
      `/api/v1/Reservation/activeReservations?${new URLSearchParams({ resource })}`,
    )
  ).body;

/** Seconds from now until a time. */
export const inSeconds = (iso: string | null | undefined) => Math.round((Date.parse(iso ?? '') - Date.now()) / 1000);

export const hold = async (resource: string, requester = 'ci-42', ttlSeconds = 3600): Promise<ReserveResult> => {
  const [held] = (await holdfast.reserve({ resource, requester, ttlSeconds, note: 'nightly build' })).body;
  if (held?.status !== 'ACQUIRED') throw new Error('not reserved');
  return held;
};
