/**
 * Reads the credential of a request from its headers (docs/specification.md#identity): an API key or a derived token, a
 * management token (which counts only in Authorization), else the session from its cookie.
 */
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { HoldfastError } from '../../domain/errors.ts';
import type { Credential } from '../../domain/tenants.ts';
import { parseKey, parseManagementToken, parseSession } from '../../identity/credentials.ts';
import { isChange, refuseForeignOrigin } from '../browsers.ts';
import type { AppEnv } from '../deps.ts';

const BEARER = /^Bearer +(\S+)$/i;

/**
 * @param sessionCookie the name of the session cookie
 * @returns null if the header or cookie holds no well-formed credential
 * @throws HoldfastError unauthenticated if there is no credential (this is no guess, so it is not counted), or if there
 * are two different ones; forbidden for a session's change from another site
 */
export function credentialOf(c: Context<AppEnv>, sessionCookie: string): Credential | null {
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
