/**
 * POST /api/v1/auth/token: exchanges an end user's JWT for a derived token (docs/specification.md#identity).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { Exchange, Token } from '../../../contract/tenant.ts';
import { HoldfastError } from '../../../domain/errors.ts';
import { issueToken } from '../../../engine/tenant/issueToken.ts';
import { MAX_TOKEN_MS } from '../../../engine/tenant/tokens.ts';
import { makeToken, parseKey } from '../../../identity/credentials.ts';
import type { JwtVerifier } from '../../../identity/jwtVerifier.ts';
import { clientAddress } from '../../clientAddress.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { notLockedOut } from '../../middleware/authenticate.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation } from '../../responses.ts';

/** The caller has no key yet. A JWT is much shorter. */
const MAX_BODY_BYTES = 65_536;

export const tokenOperation = operation({
  method: 'post',
  path: '/api/v1/auth/token',
  operationId: 'token',
  tags: ['Tenant'],
  summary: 'Exchange a JWT for a token',
  description:
    'Needs no key. The tenant is named in the request or by the JWT’s audience `holdfast:<tenant id>`. The token reserves and releases only for the JWT’s subject, and cannot reset, register or delete. From tier Starter on.',
  security: [],
  body: Exchange,
  responses: { 200: answer('The token.', Token), ...bodyOperation },
});

export const tokenRoute = (
  { engine, failedAuthentications, trustedProxies, sizes, unknownFields }: HttpDeps,
  verifier: JwtVerifier,
) => {
  const rules = { sizes: { ...sizes, bodyBytes: Math.min(sizes.bodyBytes, MAX_BODY_BYTES) }, unknownFields };
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(
    withBody(tokenOperation, rules, notLockedOut(failedAuthentications, trustedProxies)),
    async (c) => {
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
        return c.json(
          { token, tokenType: 'Bearer' as const, expiresIn: Math.floor(lifetimeMs / 1000), expiresAt },
          200,
        );
      } catch (error) {
        if (error instanceof HoldfastError && error.code === 'unauthenticated')
          await failedAuthentications.count(address());
        throw error;
      }
    },
  );
};
