/**
 * POST /api/v1/auth/token: exchanges an end user's JWT for a derived token (docs/specification.md#identity).
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { HoldfastError } from '../../../domain/errors.ts';
import { TENANT_ID } from '../../../domain/names.ts';
import { issueToken } from '../../../engine/tenant/issueToken.ts';
import { MAX_TOKEN_MS } from '../../../engine/tenant/tokens.ts';
import { makeToken, parseKey } from '../../../identity/credentials.ts';
import type { JwtVerifier } from '../../../identity/jwtVerifier.ts';
import { clientAddress } from '../../clientAddress.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { item, time } from '../../fields.ts';
import { notLockedOut } from '../../middleware/authenticate.ts';
import { documentBody, jsonBody } from '../../middleware/jsonBody.ts';
import { answer, bodyOperation } from '../../responses.ts';

/** The caller has no key yet. A JWT is much shorter. */
const MAX_BODY_BYTES = 65_536;

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
  const tenant = z
    .string('must be a string')
    .regex(TENANT_ID, 'must be the id of a tenant')
    .optional()
    .openapi({ description: 'Not needed if the JWT has the audience `holdfast:<tenant id>`.', example: 'acme' });
  const Exchange = item({ jwt, tenant }, unknownFields).openapi('Exchange');

  const route = createRoute({
    method: 'post',
    path: '/api/v1/auth/token',
    operationId: 'token',
    tags: ['Tenant'],
    summary: 'Exchange a JWT for a token',
    description:
      'Needs no key. The tenant is the one that the request names, or the one whose audience `holdfast:<tenant id>` the JWT has. The token reserves and releases only for the JWT’s subject; it cannot reset, register or delete. From tier Starter on.',
    security: [],
    middleware: [
      notLockedOut(failedAuthentications, trustedProxies),
      jsonBody(Exchange, { ...sizes, bodyBytes: Math.min(sizes.bodyBytes, MAX_BODY_BYTES) }),
    ] as const,
    hide: true,
    responses: { 200: answer('The token.', Token), ...bodyOperation },
  });

  const app = new OpenAPIHono<AppEnv>();
  documentBody(app, route, Exchange);
  return app.openapi(route, async (c) => {
    const address = () => clientAddress(c, trustedProxies);
    try {
      const { jwt, tenant } = c.get('body');
      const { by, subject, expiresAtMs } = await verifier.verify(jwt, tenant);
      const token = makeToken(by.tenant, subject);
      const credential = parseKey(token);
      if (credential === null) throw new TypeError('a token that was just made cannot be read');
      const nowMs = Date.now();
      const lifetimeMs = Math.min(MAX_TOKEN_MS, expiresAtMs - nowMs);
      if (lifetimeMs <= 0) throw new HoldfastError('unauthenticated', 'The JWT has expired.');
      c.set('credential', credential);
      await issueToken(engine, credential, by, lifetimeMs);
      // Its tokens were ended before this one was issued, if the issuer was removed meanwhile.
      if (!(await verifier.isTrusted(by)))
        throw new HoldfastError('unauthenticated', 'The issuer of the JWT has been removed.');
      const expiresAt = new Date(nowMs + lifetimeMs).toISOString();
      return c.json({ token, tokenType: 'Bearer' as const, expiresIn: Math.floor(lifetimeMs / 1000), expiresAt }, 200);
    } catch (error) {
      if (error instanceof HoldfastError && error.code === 'unauthenticated')
        await failedAuthentications.count(address());
      throw error;
    }
  });
};
