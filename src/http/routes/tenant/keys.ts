/**
 * /api/v1/Tenant/keys: lists, makes, rotates and deletes the tenant's API keys
 * (docs/specification.md#tenants-and-administration, #operations). With a session.
 */
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { DeletedKey, Key, KeyParams, KeyWithValue, NewKey } from '../../../contract/keys.ts';
import { createKey, deleteKey, type KeyDeps, listKeys, rotateKey } from '../../../operations/keys.ts';
import type { KeyRow } from '../../../store/keys.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { bySession, type SessionDeps } from '../../middleware/bySession.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, anyOperation, bodyOperation, parameterOperation, unknown } from '../../responses.ts';

const common = { tags: ['Tenant'] };

const listed = operation({
  ...common,
  method: 'get',
  path: '/api/v1/Tenant/keys',
  operationId: 'keys',
  right: 'keys',
  summary: 'List the API keys',
  responses: { 200: answer('The default key first.', z.array(Key)), ...anyOperation },
});

const made = operation({
  ...common,
  method: 'post',
  path: '/api/v1/Tenant/keys',
  operationId: 'createKey',
  right: 'keys',
  summary: 'Make an API key',
  description: 'As many as the tier allows.',
  body: NewKey,
  responses: { 201: answer('The key.', KeyWithValue), ...bodyOperation },
});

const rotated = operation({
  ...common,
  method: 'post',
  path: '/api/v1/Tenant/keys/{id}/rotate',
  operationId: 'rotateKey',
  right: 'keys',
  summary: 'Replace the value of an API key',
  description: 'Once this call returns, every instance refuses the old value, and its event streams end.',
  request: { params: KeyParams },
  responses: { 200: answer('The key.', KeyWithValue), ...unknown, ...parameterOperation },
});

const deleted = operation({
  ...common,
  method: 'delete',
  path: '/api/v1/Tenant/keys/{id}',
  operationId: 'deleteKey',
  right: 'keys',
  summary: 'Delete an API key',
  description: 'Once this call returns, every instance refuses the key. The default key can only be rotated.',
  request: { params: KeyParams },
  responses: { 200: answer('The deleted key.', DeletedKey), ...unknown, ...parameterOperation },
});

export const keysOperations = [listed, made, rotated, deleted];

const toBody = ({ createdAt, rotatedAt, ...row }: KeyRow) => ({
  ...row,
  createdAt: createdAt.toISOString(),
  rotatedAt: rotatedAt?.toISOString() ?? null,
});

export const keysRoutes = (deps: BodyDeps & SessionDeps & KeyDeps) => {
  const app = new OpenAPIHono<AppEnv>();
  return app
    .openapi({ ...listed, middleware: bySession(deps, listed.right) }, async (c) => {
      const { result, quota } = await listKeys(deps, c.get('actor'));
      c.set('quota', quota);
      return c.json(result.map(toBody), 200);
    })
    .openapi(withBody(made, deps, bySession(deps, made.right)), async (c) => {
      const { result, quota } = await createKey(deps, c.get('actor'), c.get('body').label ?? null);
      c.set('quota', quota);
      return c.json({ ...toBody(result.row), key: result.key }, 201);
    })
    .openapi({ ...rotated, middleware: bySession(deps, rotated.right) }, async (c) => {
      const { row, key } = await rotateKey(deps, c.get('actor'), c.req.valid('param').id);
      return c.json({ ...toBody(row), key }, 200);
    })
    .openapi({ ...deleted, middleware: bySession(deps, deleted.right) }, async (c) => {
      const { id } = c.req.valid('param');
      await deleteKey(deps, c.get('actor'), id);
      return c.json({ deleted: id }, 200);
    });
};
