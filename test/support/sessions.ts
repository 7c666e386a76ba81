/**
 * Sessions of callers, for tests.
 */
import type { BegunSession, EndedSession, RenewedSession, Session, SessionProof } from '../../src/contract/sessions.ts';
import type { Client } from './client.ts';

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
