/**
 * POST /api/v1/auth/token: exchanges an end user's JWT for a derived token (interface, "Authentication" 6; decisions, section 9).
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { HoldfastError } from '../../../domain/errors.ts';
import { issueToken } from '../../../engine/issueToken.ts';
import { makeToken, parseKey } from '../../../identity/credentials.ts';
import type { JwtVerifier } from '../../../identity/jwtVerifier.ts';
import { clientAddress } from '../../clientAddress.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { item, time } from '../../fields.ts';
import { notLockedOut } from '../../middleware/authenticate.ts';
import { documentBody, jsonBody } from '../../middleware/jsonBody.ts';
import { answer, bodyOperation } from '../../responses.ts';

/** Whoever sends one has no key. A JWT is much shorter. */
const MOST_BODY_BYTES = 65_536;

/** A token lives so long at most, and never longer than the JWT. */
const LIFETIME_MS = 900_000;

const Token = z
  .object({
    token: z.string().openapi({ description: 'To be sent in `X-Api-Key`.' }),
    tokenType: z.literal('Bearer'),
    expiresIn: z.int().openapi({ description: 'Seconds.', example: 900 }),
    expiresAt: time,
  })
  .openapi('Token');

export const tokenRoute = (
  { engine, failedAuthentications, trustedProxies, sizes, unknownFields }: HttpDeps,
  verifier: JwtVerifier,
) => {
  const jwt = z
    .string('must be a string')
    .openapi({ description: 'Signed by an issuer that the tenant has registered.' });
  const Exchange = item({ jwt }, unknownFields).openapi('Exchange');

  const route = createRoute({
    method: 'post',
    path: '/api/v1/auth/token',
    operationId: 'token',
    tags: ['Tenant'],
    summary: 'Exchange a JWT for a token',
    description:
      'Needs no key. The token reserves and releases only for the JWT’s subject; it cannot reset, register or delete. From tier Starter on.',
    security: [],
    middleware: [
      notLockedOut(failedAuthentications, trustedProxies),
      jsonBody(Exchange, { ...sizes, bodyBytes: Math.min(sizes.bodyBytes, MOST_BODY_BYTES) }),
    ] as const,
    hide: true,
    responses: { 200: answer('The token.', Token), ...bodyOperation },
  });

  const app = new OpenAPIHono<AppEnv>();
  documentBody(app, route, Exchange);
  return app.openapi(route, async (c) => {
    const address = () => clientAddress(c, trustedProxies);
    try {
      const { tenant, subject, expiresAtMs } = await verifier.verify(c.get('body').jwt);
      const token = makeToken(tenant, subject);
      const credential = parseKey(token);
      if (credential === null) throw new TypeError('a token that was just made cannot be read');
      const nowMs = Date.now();
      const lifetimeMs = Math.min(LIFETIME_MS, expiresAtMs - nowMs);
      if (lifetimeMs <= 0) throw new HoldfastError('unauthenticated', 'The JWT has expired.');
      c.set('credential', credential);
      await issueToken(engine, credential, lifetimeMs);
      const expiresAt = new Date(nowMs + lifetimeMs).toISOString();
      return c.json({ token, tokenType: 'Bearer' as const, expiresIn: Math.floor(lifetimeMs / 1000), expiresAt }, 200);
    } catch (error) {
      if (error instanceof HoldfastError && error.code === 'unauthenticated')
        await failedAuthentications.count(address());
      throw error;
    }
  });
};
