/**
 * /api/v1/Tenant/issuers: the issuers whose JWTs the tenant's users may exchange for tokens. With a session.
 */
import { z } from '@hono/zod-openapi';
import { DeletedIssuer, DeleteIssuerQuery, Issuer } from '../../../contract/tenant.ts';
import { deleteIssuer, type IssuerDeps, issuerSchema, listIssuers, putIssuer } from '../../../operations/issuers.ts';
import { operation } from '../../call/operation.ts';
import { charged, chargedAs } from '../../call/reply.ts';
import { type Route, route } from '../../call/route.ts';
import { answer, anyOperation, bodyOperation, parameterOperation, unknown } from '../../openapi/responses.ts';

const common = { path: '/api/v1/Tenant/issuers', tags: ['Authentication'] };

const listOperation = operation({
  ...common,
  method: 'get',
  operationId: 'listIssuers',
  right: 'settings',
  summary: 'List the issuers of JWTs',
  description: 'The identity providers whose JWTs the tenant accepts, with one audience each.',
  responses: { 200: answer('All issuers.', z.array(Issuer)), ...anyOperation },
});

const putOperation = operation({
  ...common,
  method: 'put',
  operationId: 'registerIssuer',
  right: 'settings',
  summary: 'Register an issuer of JWTs',
  description:
    'From tier Starter on. The audience `holdfast:<tenant id>` is for that tenant alone. If the issuer and audience are registered already, `jwksUrl` replaces the old one.',
  body: Issuer,
  responses: { 200: answer('The issuer.', Issuer), ...bodyOperation },
});

const deleteOperation = operation({
  ...common,
  method: 'delete',
  operationId: 'deleteIssuer',
  right: 'settings',
  summary: 'Delete an issuer of JWTs',
  description: 'Its JWTs are refused from now on, and tokens that were exchanged for them end.',
  request: { query: DeleteIssuerQuery },
  responses: { 200: answer('The deleted issuer.', DeletedIssuer), ...unknown, ...parameterOperation },
});

export const issuersOperations = [listOperation, putOperation, deleteOperation];

/** @param allowPrivate whether keys may be fetched from private addresses, and without TLS */
export const issuersRoutes = (deps: IssuerDeps, allowPrivate: boolean): readonly Route[] => [
  route(listOperation, (call) => listIssuers(deps, call.actor), charged),
  route(
    { ...putOperation, body: issuerSchema(allowPrivate) },
    (call) => putIssuer(deps, call.actor, call.body),
    charged,
  ),
  route(
    deleteOperation,
    (call) => deleteIssuer(deps, call.actor, call.query),
    chargedAs((_, { query: { issuer, audience } }) => ({ issuer, audience })),
  ),
];
