/**
 * Reads the credential of each request, and limits failed authentications for each client address
 * (docs/specification.md#failed-authentications). Scripts verify credentials. A request that reaches no script, because
 * it is malformed or forbidden, is verified here before its caller gets the description of the fault. A request with a
 * large body, or from an address that failed too often, is verified before its body is read.
 */
import { HoldfastError } from '../../domain/errors.ts';
import { verifyCredential } from '../../engine/tenant/credentials.ts';
import { type SignedInDeps, signedInUser } from '../../operations/permissions.ts';
import { addressOf } from '../admission/clientAddress.ts';
import type { CallerDeps } from '../deps.ts';
import type { Call } from './call.ts';
import { credentialOf } from './credential.ts';

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
