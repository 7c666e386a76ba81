/**
 * /api/v1/Tenant/issuers: the issuers whose JWTs can be exchanged for tokens of the tenant.
 */
import { z } from '@hono/zod-openapi';
import { DeletedIssuer, DeleteIssuerQuery, Issuer, NewIssuer } from '../../../contract/issuers.ts';
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
  description: 'The registrations of identity providers whose JWTs the tenant accepts.',
  responses: { 200: answer('All issuers.', z.array(Issuer)), ...anyOperation },
});

const putOperation = operation({
  ...common,
  method: 'put',
  operationId: 'registerIssuer',
  right: 'settings',
  summary: 'Register an issuer of JWTs',
  description:
    'From tier Starter on. Replaces the registration with this `id`, and ends the tokens that were exchanged by it. `conditions` say whose JWTs are meant: an issuer that signs for everybody needs one on an id that is never used again. The audience `holdfast:<tenant id>` is for that tenant alone.',
  body: NewIssuer,
  responses: { 200: answer('The issuer.', Issuer), ...bodyOperation },
});

const deleteOperation = operation({
  ...common,
  method: 'delete',
  operationId: 'deleteIssuer',
  right: 'settings',
  summary: 'Delete an issuer of JWTs',
  description: 'Its JWTs are refused from now on, and the tokens that were exchanged by it end.',
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
    (call) => deleteIssuer(deps, call.actor, call.query.id),
    chargedAs((_, { query: { id } }) => ({ deleted: id })),
  ),
];
