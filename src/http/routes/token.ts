/**
 * POST /api/v1/auth/token: exchanges an end user's JWT for a derived token (docs/specification.md#jwt-exchange).
 */
import type { z } from 'zod';
import type { Rules } from '../../contract/sizes.ts';
import { Exchange, Token } from '../../contract/tenant.ts';
import { HoldfastError } from '../../domain/errors.ts';
import type { JwtVerifier } from '../../identity/jwtVerifier.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import { issueToken, verifyJwt } from '../../operations/tokens.ts';
import { addressOf } from '../admission/clientAddress.ts';
import { takeBody } from '../call/body.ts';
import type { Call } from '../call/call.ts';
import type { ObserveDeps } from '../call/observe.ts';
import { operation } from '../call/operation.ts';
import { charged } from '../call/reply.ts';
import { openRoute, type Route } from '../call/route.ts';
import type { CallerDeps } from '../deps.ts';
import { answer, bodyOperation } from '../openapi/responses.ts';

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

type TokenDeps = Rules & Pick<CallerDeps, 'failedAuthentications' | 'trustedProxies'> & Pick<OperationDeps, 'engine'>;

export const tokenRoute = (deps: TokenDeps, verifier: JwtVerifier): Route<ObserveDeps> => {
  const { engine, failedAuthentications, trustedProxies } = deps;
  const sizes = { ...deps.sizes, bodyBytes: Math.min(deps.sizes.bodyBytes, MAX_BODY_BYTES) };
  const rules = { schema: Exchange, sizes };
  const addressOfCall = (call: Call) => addressOf(call.incoming, trustedProxies);
  return openRoute(
    tokenOperation,
    async (call: Call<z.output<typeof Exchange>>) => {
      const { jwt, tenant } = call.body;
      try {
        const exchange = await verifyJwt(verifier, jwt, tenant);
        call.credential = exchange.credential;
        return await issueToken(engine, verifier, exchange);
      } catch (error) {
        if (error instanceof HoldfastError && error.code === 'unauthenticated')
          await failedAuthentications.count(addressOfCall(call));
        throw error;
      }
    },
    charged,
    [
      (call): undefined => {
        failedAuthentications.check(addressOfCall(call));
      },
      (call) => takeBody(rules, call),
    ],
  );
};
