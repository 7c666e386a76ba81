/**
 * Reads the credential of each request, and limits failed authentications for each client address
 * (docs/specification.md#failed-authentications). Scripts verify credentials. A request that reaches no script, because
 * it is malformed or forbidden, is verified here before its caller gets the description of the fault. A request with a
 * large body, or from an address that failed too often, is verified before its body is read.
 */

import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { HoldfastError } from '../../domain/errors.ts';
import type { Credential } from '../../domain/tenants.ts';
import { verifyCredential } from '../../engine/tenant/credentials.ts';
import { parseKey, parseManagementToken, parseSession } from '../../identity/credentials.ts';
import { type SignedInDeps, signedInUser } from '../../operations/permissions.ts';
import { addressOf } from '../admission/clientAddress.ts';
import { isChange, refuseForeignOrigin } from '../browsers.ts';
import type { AppEnv, CallerDeps } from '../deps.ts';
import type { Call } from './call.ts';

/** Statuses of requests that reached no script. */
const UNSEEN_BY_A_SCRIPT = new Set([400, 404, 405, 408, 413, 415]);

export type IdentifyDeps = CallerDeps & SignedInDeps;

/**
 * Sets `credential`.
 * @returns undefined for nearly all requests: there is nothing to wait for
 * @throws HoldfastError unauthenticated, forbidden; LimitError if the client's address has failed too often and the
 * credential is not valid either
 */
export function identify(deps: IdentifyDeps, call: Call): Promise<void> | undefined {
  const { roleNow, knowsTenant, failedAuthentications, trustedProxies, sessionCookie } = deps;
  const { incoming } = call;
  const address = addressOf(incoming, trustedProxies);
  const found = credentialOf(call.c, sessionCookie);
  if (found === null || !knowsTenant(found.tenant)) return refuseUnknown(deps, address);
  const { tenant, credentialKey, kind } = found;
  // Keys say nothing else, and a copy of all fields takes fifty times as long.
  call.credential = kind === 'key' ? { tenant, credentialKey, kind, address } : { ...found, address };
  const isOrdinary = incoming.readBody === undefined && (found.kind !== 'session' || roleNow === null);
  if (!isOrdinary || failedAuthentications.isRefused(address)) return verifyFirst(deps, call, address);
  call.isIdentified = true;
  return undefined;
}

async function refuseUnknown({ failedAuthentications }: IdentifyDeps, address: string): Promise<never> {
  failedAuthentications.check(address);
  await failedAuthentications.count(address);
  throw new HoldfastError('unauthenticated', 'The X-Api-Key header holds no valid key.');
}

async function verifyFirst(deps: IdentifyDeps, call: Call, address: string): Promise<void> {
  const { engine, roleNow, failedAuthentications } = deps;
  const { credential } = call;
  // Ends a session whose person has another role by now: scripts then refuse it.
  if (credential.kind === 'session' && roleNow !== null) await signedInUser({ engine, roleNow }, credential);
  const verify = () => verifyCredential(engine, credential);
  call.isVerified = await failedAuthentications.mayTry(address, credential.credentialKey, verify);
  if (call.incoming.readBody !== undefined && !call.isVerified) {
    const error = await verified(deps, call);
    if (error !== undefined) throw error;
  }
  call.isIdentified = true;
}

/**
 * Finds out whether the caller of a request that has its reply is valid, if no script has: the reply then is the
 * failure to be authenticated.
 * @returns undefined: there is nothing to wait for; else the error to reply with, if there is one
 */
export function checkCaller(deps: IdentifyDeps, call: Call, status: number): Promise<unknown> | undefined {
  if (!call.isIdentified) return undefined;
  const { error } = call;
  const isForbidden = error instanceof HoldfastError && error.code === 'forbidden';
  if (isForbidden || UNSEEN_BY_A_SCRIPT.has(status)) return call.isVerified ? undefined : verified(deps, call);
  if (status === 401) return countFailure(deps, call, error);
  if (status < 500) deps.failedAuthentications.noteValid(call.credential.credentialKey);
  return undefined;
}

/** @returns why the credential is not valid, if it is not */
async function verified(deps: IdentifyDeps, call: Call): Promise<unknown> {
  try {
    await verifyCredential(deps.engine, call.credential);
    call.isVerified = true;
    return undefined;
  } catch (error) {
    return countFailure(deps, call, error);
  }
}

/** Counts an error if the credential is not valid. @returns it, or that the address has failed too often by now */
async function countFailure({ failedAuthentications }: IdentifyDeps, call: Call, error: unknown): Promise<unknown> {
  if (!(error instanceof HoldfastError) || error.code !== 'unauthenticated') return error;
  const { credentialKey, address = '' } = call.credential;
  failedAuthentications.noteInvalid(credentialKey);
  return failedAuthentications.count(address).then(
    () => error,
    (limit: unknown) => limit,
  );
}

const BEARER = /^Bearer +(\S+)$/i;

/**
 * Reads the credential of a request from its headers (docs/specification.md#identity): an API key or a derived token, a
 * management token (which counts only in Authorization), else the session from its cookie.
 * @param sessionCookie the name of the session cookie
 * @returns null if the header or cookie holds no well-formed credential
 * @throws HoldfastError unauthenticated if there is no credential (this is no guess, so it is not counted), or if there
 * are two different ones; forbidden for a session's change from another site
 */
function credentialOf(c: Context<AppEnv>, sessionCookie: string): Credential | null {
  const { authorization, 'x-api-key': given } = c.env.incoming.headers;
  const key = given === undefined ? undefined : String(given);
  const bearer = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (key && bearer !== undefined && key !== bearer)
    throw new HoldfastError(
      'unauthenticated',
      'The X-Api-Key and Authorization headers hold different keys. Send one.',
    );
  if (key) return parseKey(key);
  if (bearer !== undefined) return parseKey(bearer) ?? parseManagementToken(bearer);
  const cookie = key === undefined ? getCookie(c, sessionCookie) : undefined;
  if (cookie === undefined) throw new HoldfastError('unauthenticated', 'The X-Api-Key header is missing.');
  const session = parseSession(cookie);
  if (session !== null && isChange(c.req.method)) refuseForeignOrigin(c);
  return session;
}
