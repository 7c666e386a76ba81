/**
 * /api/v1/auth/token: exchanges a JWT for a derived token, and ends the token (docs/specification.md#jwt-exchange).
 */
import type { z } from 'zod';
import type { Rules } from '../../contract/fields.ts';
import { Exchange, Token } from '../../contract/issuers.ts';
import { HoldfastError } from '../../domain/errors.ts';
import { endToken } from '../../engine/tenant/tokens.ts';
import type { JwtVerifier } from '../../identity/jwtVerifier.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import { issueToken, verifyJwt } from '../../operations/tokens.ts';
import { addressOf } from '../admission/clientAddress.ts';
import { takeBody } from '../call/body.ts';
import type { Call } from '../call/call.ts';
import type { ObserveDeps } from '../call/observe.ts';
import { operation } from '../call/operation.ts';
import { charged, NONE } from '../call/reply.ts';
import { openRoute, type Route, route } from '../call/route.ts';
import type { CallerDeps } from '../deps.ts';
import { answer, anyOperation, bodyOperation } from '../openapi/responses.ts';

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
    'Needs no key. The tenant is named in the request or by the JWT’s audience `holdfast:<tenant id>`, and its registration by the claims of the JWT. The token reserves and releases only for the requester of the response, and cannot reset, register or delete. From tier Starter on.',
  body: Exchange,
  responses: { 200: answer('The token.', Token), ...bodyOperation },
});

export const endTokenOperation = operation({
  method: 'delete',
  path: '/api/v1/auth/token',
  operationId: 'endToken',
  right: 'token',
  tags: ['Authentication'],
  summary: 'End a token',
  description:
    'Ends the token that the call is made with, and its event streams. Its reservations stay. Costs nothing.',
  responses: { 204: { description: 'The token has ended.' }, ...anyOperation },
});

export const endTokenRoute = ({ engine }: Pick<OperationDeps, 'engine'>): Route =>
  route(
    endTokenOperation,
    ({ credential }) => endToken(engine, credential),
    () => ({ status: 204, body: null, headers: NONE }),
  );

type TokenDeps = Rules & Pick<CallerDeps, 'failedAuthentications' | 'trustedProxies'> & Pick<OperationDeps, 'engine'>;

export const tokenRoute = (deps: TokenDeps, verifier: JwtVerifier): Route<ObserveDeps> => {
  const { engine, failedAuthentications, trustedProxies } = deps;
  const sizes = { ...deps.sizes, bodyBytes: Math.min(deps.sizes.bodyBytes, MAX_BODY_BYTES) };
  const rules = { schema: Exchange, sizes };
  const addressOfCall = (call: Call) => addressOf(call.incoming, trustedProxies);
  return openRoute(
    tokenOperation,
    async (call: Call<z.output<typeof Exchange>>) => {
      const { jwt, ...presented } = call.body;
      try {
        const exchange = await verifyJwt(verifier, jwt, presented);
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
