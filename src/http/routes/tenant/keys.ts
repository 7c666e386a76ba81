/**
 * /api/v1/Tenant/keys: lists, reads, makes, changes, rotates and deletes the tenant's API keys
 * (docs/specification.md#tenants-and-administration, #operations). With a session.
 */
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { DeletedKey, Key, KeyChange, KeyParams, KeysQuery, KeyWithValue, NewKey } from '../../../contract/keys.ts';
import {
  changeKey,
  createKey,
  deleteKey,
  type KeyDeps,
  type KeyWithValue as KeyWithItsValue,
  type ListedKey,
  listKeys,
  readKey,
  rotateKey,
} from '../../../operations/keys.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { bySession, type SessionDeps } from '../../middleware/bySession.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, bodyOperation, parameterOperation, unknown } from '../../responses.ts';

const PATH = '/api/v1/Tenant/keys';
const DEFAULT_PAGE = 50;
const common = { tags: ['Keys'], right: 'keys' as const };

const listed = operation({
  ...common,
  method: 'get',
  path: PATH,
  operationId: 'listKeys',
  summary: 'List the API keys',
  description: 'All of them, the default key first. With `limit` or `after`, a page sorted by id.',
  request: { query: KeysQuery },
  responses: {
    200: {
      ...answer('The keys.', z.array(Key)),
      headers: z.object({
        Link: z.string().optional().meta({ description: 'The address of the next page, with `rel="next"`.' }),
      }),
    },
    ...parameterOperation,
  },
});

const made = operation({
  ...common,
  method: 'post',
  path: PATH,
  operationId: 'createKey',
  summary: 'Make an API key',
  description: 'As many as the tier allows.',
  body: NewKey,
  responses: {
    200: answer('The key was made before, by the same call.', KeyWithValue),
    201: answer('The key.', KeyWithValue),
    ...bodyOperation,
  },
});

const read = operation({
  ...common,
  method: 'get',
  path: `${PATH}/{id}`,
  operationId: 'getKey',
  summary: 'See an API key',
  description: 'Without its value, which only the calls that make and rotate it return.',
  request: { params: KeyParams },
  responses: { 200: answer('The key, without its value.', Key), ...unknown, ...parameterOperation },
});

const changed = operation({
  ...common,
  method: 'put',
  path: `${PATH}/{id}`,
  operationId: 'changeKey',
  summary: 'Change what an API key is called and may do',
  description: 'Its value stays. What is left out stays as it is. The default key cannot be restricted.',
  body: KeyChange,
  request: { params: KeyParams },
  responses: { 200: answer('The key.', Key), ...unknown, ...bodyOperation },
});

const rotated = operation({
  ...common,
  method: 'post',
  path: `${PATH}/{id}/rotate`,
  operationId: 'rotateKey',
  summary: 'Replace the value of an API key',
  description: 'Once this call returns, every instance refuses the old value, and its event streams end.',
  request: { params: KeyParams },
  responses: { 200: answer('The key.', KeyWithValue), ...unknown, ...parameterOperation },
});

const deleted = operation({
  ...common,
  method: 'delete',
  path: `${PATH}/{id}`,
  operationId: 'deleteKey',
  summary: 'Delete an API key',
  description: 'Once this call returns, every instance refuses the key. The default key can only be rotated.',
  request: { params: KeyParams },
  responses: { 200: answer('The deleted key.', DeletedKey), ...unknown, ...parameterOperation },
});

export const keysOperations = [listed, made, read, changed, rotated, deleted];

const toBody = ({ createdAt, rotatedAt, expiresAt, usedAt, ...key }: ListedKey) => ({
  ...key,
  createdAt: createdAt.toISOString(),
  rotatedAt: rotatedAt?.toISOString() ?? null,
  expiresAt: expiresAt?.toISOString() ?? null,
  usedAt: usedAt?.toISOString() ?? null,
});
const toBodyWithValue = ({ key, ...listed }: KeyWithItsValue) => ({ ...toBody(listed), key });

export const keysRoutes = (deps: BodyDeps & SessionDeps & KeyDeps) => {
  const app = new OpenAPIHono<AppEnv>();
  return app
    .openapi({ ...listed, middleware: bySession(deps, listed.right) }, async (c) => {
      const { after, limit = DEFAULT_PAGE } = c.req.valid('query');
      const isPage = c.req.query('after') !== undefined || c.req.query('limit') !== undefined;
      const { result, quota } = await listKeys(deps, c.get('actor'), isPage ? { after, limit } : null);
      c.set('quota', quota);
      const last = isPage && result.length === limit ? result.at(-1) : undefined;
      if (last !== undefined) c.header('Link', `<${PATH}?after=${last.id}&limit=${limit}>; rel="next"`);
      return c.json(result.map(toBody), 200);
    })
    .openapi(withBody(made, deps, bySession(deps, made.right)), async (c) => {
      const { result, quota } = await createKey(deps, c.get('actor'), c.get('body'));
      c.set('quota', quota);
      return c.json(toBodyWithValue(result.key), result.isNew ? 201 : 200);
    })
    .openapi({ ...read, middleware: bySession(deps, read.right) }, async (c) => {
      const { result, quota } = await readKey(deps, c.get('actor'), c.req.valid('param').id);
      c.set('quota', quota);
      return c.json(toBody(result), 200);
    })
    .openapi(withBody(changed, deps, bySession(deps, changed.right)), async (c) => {
      const { result, quota } = await changeKey(deps, c.get('actor'), c.req.valid('param').id, c.get('body'));
      c.set('quota', quota);
      return c.json(toBody(result), 200);
    })
    .openapi({ ...rotated, middleware: bySession(deps, rotated.right) }, async (c) =>
      c.json(toBodyWithValue(await rotateKey(deps, c.get('actor'), c.req.valid('param').id)), 200),
    )
    .openapi({ ...deleted, middleware: bySession(deps, deleted.right) }, async (c) => {
      const { id } = c.req.valid('param');
      await deleteKey(deps, c.get('actor'), id);
      return c.json({ deleted: id }, 200);
    });
};
