/**
 * /api/v1/Tenant/tokens: lists, reads, makes and deletes management tokens (docs/specification.md#management-tokens).
 * With the session of an owner.
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import {
  DeletedManagementToken,
  ManagementToken,
  ManagementTokenParams,
  ManagementTokens,
  ManagementTokensQuery,
  ManagementTokenWithValue,
  NewManagementToken,
} from '../../../contract/managementTokens.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { createToken, deleteToken, listTokens, readToken } from '../../../operations/managementTokens.ts';
import type { TokenRow } from '../../../store/managementTokens.ts';
import type { Store } from '../../../store/records.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { bySession, type SessionDeps } from '../../middleware/bySession.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation, parameterOperation, unknown } from '../../responses.ts';

const PATH = '/api/v1/Tenant/tokens';
const common = { tags: ['Keys'], right: 'tokens' as const };

const listed = operation({
  ...common,
  method: 'get',
  path: PATH,
  operationId: 'listManagementTokens',
  summary: 'List the management tokens',
  description: 'Sorted by id, in pages, without their values.',
  request: { query: ManagementTokensQuery },
  responses: { 200: answer('A page, sorted by id.', ManagementTokens), ...parameterOperation },
});

const made = operation({
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

const read = operation({
  ...common,
  method: 'get',
  path: `${PATH}/{id}`,
  operationId: 'getManagementToken',
  summary: 'See a management token',
  description: 'Without its value.',
  request: { params: ManagementTokenParams },
  responses: { 200: answer('The token.', ManagementToken), ...unknown, ...parameterOperation },
});

const deleted = operation({
  ...common,
  method: 'delete',
  path: `${PATH}/{id}`,
  operationId: 'deleteManagementToken',
  summary: 'Delete a management token',
  description: 'Once this call returns, every instance refuses the token.',
  request: { params: ManagementTokenParams },
  responses: { 200: answer('The deleted token.', DeletedManagementToken), ...unknown, ...parameterOperation },
});

export const managementTokensOperations = [listed, made, read, deleted];

const toBody = ({ createdAt, expiresAt, ...row }: TokenRow) => ({
  ...row,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});

export const managementTokensRoutes = (
  deps: BodyDeps & SessionDeps & Pick<OperationDeps, 'engine' | 'activity' | 'reads'>,
  store: Store,
) => {
  const app = new OpenAPIHono<AppEnv>();
  return app
    .openapi({ ...listed, middleware: bySession(deps, listed.right) }, async (c) => {
      const { after, limit } = c.req.valid('query');
      const { result, quota } = await listTokens({ ...deps, store }, c.get('actor'), after, limit);
      c.set('quota', quota);
      const next = result.length < limit ? null : (result.at(-1)?.id ?? null);
      return c.json({ tokens: result.map(toBody), next }, 200);
    })
    .openapi(withBody(made, deps, bySession(deps, made.right)), async (c) => {
      const { result, quota } = await createToken({ ...deps, store }, c.get('actor'), c.get('body'));
      c.set('quota', quota);
      const { row, value } = result;
      return value === null ? c.json(toBody(row), 200) : c.json({ ...toBody(row), token: value }, 201);
    })
    .openapi({ ...read, middleware: bySession(deps, read.right) }, async (c) => {
      const { result, quota } = await readToken({ ...deps, store }, c.get('actor'), c.req.valid('param').id);
      c.set('quota', quota);
      return c.json(toBody(result), 200);
    })
    .openapi({ ...deleted, middleware: bySession(deps, deleted.right) }, async (c) => {
      const { id } = c.req.valid('param');
      await deleteToken({ ...deps, store }, c.get('actor'), id);
      return c.json({ deleted: id }, 200);
    });
};
