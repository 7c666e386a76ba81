/**
 * /api/v1/Tenant/tokens: lists, reads, makes and deletes management tokens (docs/specification.md#management-tokens).
 * With the session of an owner.
 */
import {
  DeletedManagementToken,
  ManagementToken,
  ManagementTokenParams,
  ManagementTokens,
  ManagementTokensQuery,
  ManagementTokenWithValue,
  NewManagementToken,
} from '../../../contract/managementTokens.ts';
import {
  createToken,
  deleteToken,
  listTokens,
  readToken,
  type TokenDeps,
} from '../../../operations/managementTokens.ts';
import type { TokenRow } from '../../../store/managementTokens.ts';
import { nextOf } from '../../call/listing.ts';
import { operation } from '../../call/operation.ts';
import { charged, chargedAs, json } from '../../call/reply.ts';
import { type Route, route } from '../../call/route.ts';
import { answer, bodyOperation, parameterOperation, unknown } from '../../openapi/responses.ts';

const PATH = '/api/v1/Tenant/tokens';
const common = { tags: ['Keys'], right: 'tokens' as const };

const listOperation = operation({
  ...common,
  method: 'get',
  path: PATH,
  operationId: 'listManagementTokens',
  summary: 'List the management tokens',
  description: 'Sorted by id, in pages, without their values.',
  request: { query: ManagementTokensQuery },
  responses: { 200: answer('A page, sorted by id.', ManagementTokens), ...parameterOperation },
});

const createOperation = operation({
  ...common,
  method: 'post',
  path: PATH,
  operationId: 'createManagementToken',
  summary: 'Make a management token',
  description: 'A tenant has at most 100. The value is in this response alone: a repeat with the same `id` has none.',
  body: NewManagementToken,
  responses: {
    200: answer('The token was made before, by the same call.', ManagementToken),
    201: answer('The token.', ManagementTokenWithValue),
    ...bodyOperation,
  },
});

const readOperation = operation({
  ...common,
  method: 'get',
  path: `${PATH}/{id}`,
  operationId: 'getManagementToken',
  summary: 'See a management token',
  description: 'Without its value.',
  request: { params: ManagementTokenParams },
  responses: { 200: answer('The token.', ManagementToken), ...unknown, ...parameterOperation },
});

const deleteOperation = operation({
  ...common,
  method: 'delete',
  path: `${PATH}/{id}`,
  operationId: 'deleteManagementToken',
  summary: 'Delete a management token',
  description: 'Once this call returns, every instance refuses the token.',
  request: { params: ManagementTokenParams },
  responses: { 200: answer('The deleted token.', DeletedManagementToken), ...unknown, ...parameterOperation },
});

export const managementTokensOperations = [listOperation, createOperation, readOperation, deleteOperation];

const toBody = ({ createdAt, expiresAt, ...row }: TokenRow) => ({
  ...row,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});

export const managementTokensRoutes = (deps: TokenDeps): readonly Route[] => [
  route(
    listOperation,
    (call) => listTokens(deps, call.actor, call.query.after, call.query.limit),
    chargedAs((rows, call) => ({ tokens: rows.map(toBody), next: nextOf(rows, call.query.limit, ({ id }) => id) })),
  ),
  route(
    createOperation,
    (call) => createToken(deps, call.actor, call.body),
    ({ result: { row, value }, quota }, call) =>
      value === null
        ? charged({ result: toBody(row), quota }, call)
        : charged({ result: { ...toBody(row), token: value }, quota }, call, 201),
  ),
  route(readOperation, (call) => readToken(deps, call.actor, call.params.id), chargedAs(toBody)),
  route(
    deleteOperation,
    (call) => deleteToken(deps, call.actor, call.params.id),
    (_, call) => json({ deleted: call.params.id }),
  ),
];
