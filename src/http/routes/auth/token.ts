/**
 * POST /api/v1/auth/token: exchanges an end user's JWT for a derived token (docs/specification.md#jwt-exchange).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { Exchange, Token } from '../../../contract/tenant.ts';
import { HoldfastError } from '../../../domain/errors.ts';
import type { JwtVerifier } from '../../../identity/jwtVerifier.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { issueToken, verifyJwt } from '../../../operations/tokens.ts';
import { clientAddress } from '../../clientAddress.ts';
import type { BodyDeps, CallerDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { refuseLockedOut } from '../../middleware/identifyCallers.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation } from '../../responses.ts';

/** The caller has no key yet. A JWT is much shorter. */
const MAX_BODY_BYTES = 65_536;

export const tokenOperation = operation({
  method: 'post',
  path: '/api/v1/auth/token',
  operationId: 'exchangeToken',
  right: 'anybody',
  tags: ['Authentication'],
  summary: 'Exchange a JWT for a token',
  description:
    'Needs no key. The tenant is named in the request or by the JWT’s audience `holdfast:<tenant id>`. The token reserves and releases only for the JWT’s subject, and cannot reset, register or delete. From tier Starter on.',
  body: Exchange,
  responses: { 200: answer('The token.', Token), ...bodyOperation },
});

type TokenDeps = BodyDeps &
  Pick<CallerDeps, 'failedAuthentications' | 'trustedProxies'> &
  Pick<OperationDeps, 'engine'>;

export const tokenRoute = (deps: TokenDeps, verifier: JwtVerifier) => {
  const { engine, failedAuthentications, trustedProxies, sizes } = deps;
  const rules = { sizes: { ...sizes, bodyBytes: Math.min(sizes.bodyBytes, MAX_BODY_BYTES) } };
  const app = new OpenAPIHono<AppEnv>();
  return app.openapi(withBody(tokenOperation, rules, refuseLockedOut(deps)), async (c) => {
    const { jwt, tenant } = c.get('body');
    try {
      const exchange = await verifyJwt(verifier, jwt, tenant);
      c.set('credential', exchange.credential);
      const { result, quota } = await issueToken(engine, verifier, exchange);
      c.set('quota', quota);
      return c.json(result, 200);
    } catch (error) {
      if (error instanceof HoldfastError && error.code === 'unauthenticated')
        await failedAuthentications.count(clientAddress(c, trustedProxies));
      throw error;
    }
  });
};
