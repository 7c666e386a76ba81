/**
 * Sessions of callers, for tests.
 */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { BegunSession, EndedSession, RenewedSession, Session, SessionProof } from '../../src/contract/sessions.ts';
import type { Client } from './client.ts';
import { STEERED_CLOCK, setClock } from './clock.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from './service.ts';

type Caller = Pick<Client, 'request'>;

export const begin = async (caller: Caller, requester = 'w', ttlSeconds = 60): Promise<BegunSession> =>
  (await caller.request<BegunSession>('POST', '/api/v1/Session', { requester, ttlSeconds })).body;

const proofOf = ({ session, token }: SessionProof) => ({ session, token });

export const beat = async (caller: Caller, session: SessionProof): Promise<RenewedSession> =>
  (await caller.request<RenewedSession>('POST', '/api/v1/Session/renew', proofOf(session))).body;

export const end = async (caller: Caller, session: SessionProof): Promise<EndedSession> =>
  (await caller.request<EndedSession>('POST', '/api/v1/Session/end', proofOf(session))).body;

export const sessions = async (caller: Caller): Promise<Session[]> =>
  (await caller.request<Session[]>('GET', '/api/v1/Session')).body;

const NOW = Date.parse('2048-02-29T12:00:00.000Z');
/** The time so many seconds after the beginning of a test. */
export const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

export let holdfast: Instance;
/** Begins with each test, and lasts for 60 s. */
export let session: BegunSession;
/** Sets the clock of the tenant. */
export const goTo = (seconds: number) => setClock(holdfast.redis, holdfast.tenant, NOW + seconds * 1000);

/** An item that reserves with the session. */
export const held = (resource: string, more = {}) => ({
  ...{ resource, requester: 'w', session: session.session },
  ...more,
});
export const names = async () => (await holdfast.active()).body.map(({ resource }) => resource).sort();

/** Starts an instance, and begins a session before each test. To be called at the top of a test file. */
export function useSession(): void {
  beforeAll(async () => {
    holdfast = await startInstance({
      keys: [makeConfiguredKey(makeTenant(), 'worker')],
      includes: { 'frame/now': STEERED_CLOCK },
    });
  });
  afterAll(() => holdfast.stop());
  beforeEach(async () => {
    // Long after all sessions of the test before.
    await goTo(100_000);
    await sessions(holdfast);
    await goTo(0);
    await holdfast.reset();
    session = await begin(holdfast);
  });
}
