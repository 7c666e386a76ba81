/**
 * POST /api/v1/auth/token: exchanges an end user's JWT for a derived token (docs/specification.md#identity).
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { HoldfastError } from '../../../domain/errors.ts';
import { TENANT_ID } from '../../../domain/names.ts';
import type { JwtVerifier } from '../../../identity/jwtVerifier.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { issueToken, verifyJwt } from '../../../operations/tokens.ts';
import { clientAddress } from '../../clientAddress.ts';
import type { BodyDeps, CallerDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { item, time } from '../../fields.ts';
import { documentBody, jsonBody } from '../../middleware/jsonBody.ts';
import { refuseLockedOut } from '../../middleware/limitFailures.ts';
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
  {
    engine,
    failedAuthentications,
    trustedProxies,
    sizes,
    unknownFields,
  }: BodyDeps & Pick<CallerDeps, 'failedAuthentications' | 'trustedProxies'> & Pick<OperationDeps, 'engine'>,
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
      refuseLockedOut({ failedAuthentications, trustedProxies }),
      jsonBody(Exchange, { ...sizes, bodyBytes: Math.min(sizes.bodyBytes, MAX_BODY_BYTES) }),
    ] as const,
    hide: true,
    responses: { 200: answer('The token.', Token), ...bodyOperation },
  });

  const app = new OpenAPIHono<AppEnv>();
  documentBody(app, route, Exchange);
  return app.openapi(route, async (c) => {
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
