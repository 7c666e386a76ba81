/**
 * Takes the API key or derived token from its header (docs/specification.md#identity), else the session from its
 * cookie. The script that serves the request verifies it. A request that never gets so far, because it is malformed or
 * forbidden, is verified here before it is told what is wrong; one with a large body, or from an address that failed
 * too often, before its body is read.
 */
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import { HoldfastError } from '../../domain/errors.ts';
import type { Credential } from '../../domain/tenants.ts';
import { authenticate as verify } from '../../engine/tenant/authenticate.ts';
import { parseKey, parseSession } from '../../identity/credentials.ts';
import type { FailedAuthentications } from '../../limits/failedAuthentications.ts';
import { clientAddress } from '../clientAddress.ts';
import type { AppEnv, HttpDeps } from '../env.ts';

/** What a request comes to that a limit refused as a whole, and one that is no operation. */
const LIMITED = { operations: 1, refusals: 1 };
const NONE = { operations: 0, refusals: 0 };

const UNSEEN_BY_A_SCRIPT = new Set([400, 404, 405, 408, 413, 415]);

/** @throws LimitError where the client's address has failed too often, and the key is not valid either */
export const authenticate = ({
  engine,
  activity,
  knowsTenant,
  failedAuthentications,
  trustedProxies,
  sessionCookie,
}: HttpDeps) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const address = () => clientAddress(c, trustedProxies);
    const credential = readCredential(c, sessionCookie);
    if (credential === null || !knowsTenant(credential.tenant)) {
      failedAuthentications.check(address);
      await failedAuthentications.count(address());
      throw new HoldfastError('unauthenticated', 'The X-Api-Key header holds no valid key.');
    }
    const lookUp = () => verify(engine, credential);
    const tried = failedAuthentications.mayTry(address, credential.asker, lookUp);
    // Nearly always false: there is nothing to wait for.
    let isVerified = tried !== false && (await tried);
    c.set('credential', credential);
    if (c.env.incoming.readBody !== undefined && !isVerified) {
      await lookUp().catch(countFailure);
      isVerified = true;
    }
    await next();
    const isForbidden = c.error instanceof HoldfastError && c.error.code === 'forbidden';
    if (isForbidden || UNSEEN_BY_A_SCRIPT.has(c.res.status)) {
      if (!isVerified) await lookUp().catch(countFailure);
    } else if (c.res.status === 401) {
      await countFailure(c.error);
    } else if (c.res.status < 500) {
      failedAuthentications.noteValid(credential.asker);
      activity.count(credential, c.get('outcome') ?? (c.res.status === 429 ? LIMITED : NONE));
    }

    async function countFailure(error: unknown): Promise<void> {
      if (error instanceof HoldfastError && error.code === 'unauthenticated') {
        failedAuthentications.noteInvalid(credential?.asker ?? '');
        await failedAuthentications.count(address());
      }
      throw error;
    }
  });

/** For what needs no key. @throws LimitError where the client's address has failed too often */
export const notLockedOut = (failedAuthentications: FailedAuthentications, trustedProxies: number) =>
  createMiddleware<AppEnv>(async (c, next) => {
    failedAuthentications.check(() => clientAddress(c, trustedProxies));
    await next();
  });

const BEARER = /^Bearer +(\S+)$/i;

/**
 * @returns null where what is given is no credential
 * @throws HoldfastError unauthenticated where none is given, which is no guess and not counted, or two that differ;
 * forbidden
 */
function readCredential(c: Context<AppEnv>, sessionCookie: string): Credential | null {
  const key = c.req.header('X-Api-Key');
  // Of the form that the dashboard calls the API for, it would be meant for a proxy.
  const { incoming, innerRequestId } = c.env;
  const authorization = innerRequestId === undefined ? incoming.headers.authorization : undefined;
  const bearer = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (key && bearer !== undefined && key !== bearer)
    throw new HoldfastError(
      'unauthenticated',
      'The X-Api-Key and Authorization headers hold different keys. Send one.',
    );
  const text = key || bearer;
  if (text) return parseKey(text);
  const cookie = key === undefined ? getCookie(c, sessionCookie) : undefined;
  if (cookie === undefined) throw new HoldfastError('unauthenticated', 'The X-Api-Key header is missing.');
  const session = parseSession(cookie);
  if (session !== null && !['GET', 'HEAD'].includes(c.req.method)) refuseForeignOrigin(c);
  return session;
}

/**
 * A browser sends the cookie for whatever page asks it to; only our own pages may change anything
 * (docs/specification.md#identity).
 * @throws HoldfastError forbidden
 */
export function refuseForeignOrigin(c: Context): void {
  const site = c.req.header('Sec-Fetch-Site');
  const origin = c.req.header('Origin');
  const isOurs =
    site === undefined
      ? origin !== undefined && URL.canParse(origin) && new URL(origin).host === c.req.header('Host')
      : site === 'same-origin';
  if (!isOurs) throw new HoldfastError('forbidden', 'This request comes from another site.');
}
