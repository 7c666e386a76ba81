/**
 * Takes the API key or derived token from its header (interface, "Authentication"), else the session from its cookie. The script
 * that serves the request verifies it; a request that never gets so far, because it is malformed or forbidden, is verified here
 * before it is told what is wrong.
 */
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import { HoldfastError } from '../../domain/errors.ts';
import type { Credential } from '../../domain/tenants.ts';
import { authenticate as verify } from '../../engine/authenticate.ts';
import { parseKey, parseSession } from '../../identity/credentials.ts';
import { clientAddress } from '../clientAddress.ts';
import type { AppEnv, HttpDeps } from '../env.ts';

/** What a request comes to that a limit refused as a whole, and one that is no operation. */
const LIMITED = { operations: 1, refusals: 1 };
const NONE = { operations: 0, refusals: 0 };

const UNSEEN_BY_A_SCRIPT = new Set([400, 404, 405, 413, 415]);

/** @throws LimitError where the client's address has failed too often */
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
    failedAuthentications.check(address);
    const credential = readCredential(c, sessionCookie);
    if (credential === null || !knowsTenant(credential.tenant)) {
      await failedAuthentications.count(address());
      const fault = c.req.header('X-Api-Key') === undefined ? 'is missing' : 'holds no valid key';
      throw new HoldfastError('unauthenticated', `The X-Api-Key header ${fault}.`);
    }
    c.set('credential', credential);
    await next();
    const isForbidden = c.error instanceof HoldfastError && c.error.code === 'forbidden';
    if (isForbidden || UNSEEN_BY_A_SCRIPT.has(c.res.status)) await verify(engine, credential).catch(countFailure);
    else if (c.res.status === 401) await countFailure(c.error);
    else if (c.res.status < 500)
      activity.count(credential, c.get('outcome') ?? (c.res.status === 429 ? LIMITED : NONE));

    async function countFailure(error: unknown): Promise<void> {
      if (error instanceof HoldfastError && error.code === 'unauthenticated')
        await failedAuthentications.count(address());
      throw error;
    }
  });

function readCredential(c: Context<AppEnv>, sessionCookie: string): Credential | null {
  const key = c.req.header('X-Api-Key');
  if (key !== undefined) return parseKey(key);
  const session = parseSession(getCookie(c, sessionCookie) ?? '');
  if (session !== null && !['GET', 'HEAD'].includes(c.req.method)) refuseForeignOrigin(c);
  return session;
}

/**
 * A browser sends the cookie for whatever page asks it to; only our own pages may change anything (decisions, section 9).
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
