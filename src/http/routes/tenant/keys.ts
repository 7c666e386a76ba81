/**
 * /api/v1/Tenant/keys: the tenant's API keys: listed, made, rotated, deleted (docs/specification.md#identity,
 * #operations). With a session.
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { createKey, deleteKey, type KeyDeps, listKeys, rotateKey } from '../../../operations/keys.ts';
import type { KeyRow } from '../../../store/keys.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { item, keyLabel, time } from '../../fields.ts';
import { bySession, personOf } from '../../middleware/bySession.ts';
import { documentBody, jsonBody } from '../../middleware/jsonBody.ts';
import { answer, anyOperation, bodyOperation, parameterOperation, unknown } from '../../responses.ts';

const Key = z
  .object({
    id: z.uuid(),
    label: z.string().nullable(),
    isDefault: z.boolean(),
    createdAt: time,
    rotatedAt: time.nullable(),
  })
  .openapi('Key');

const NewKey = Key.extend({ key: z.string().openapi({ description: 'The key itself.' }) }).openapi('NewKey');

const KeyId = z.object({ id: z.uuid('must be the id of a key') });

const toBody = ({ createdAt, rotatedAt, ...row }: KeyRow) => ({
  ...row,
  createdAt: createdAt.toISOString(),
  rotatedAt: rotatedAt?.toISOString() ?? null,
});

export const keysRoutes = (deps: BodyDeps & KeyDeps) => {
  const { sizes, unknownFields } = deps;
  const common = { tags: ['Tenant'], security: [{ session: [] }] };

  const listed = createRoute({
    ...common,
    method: 'get',
    path: '/api/v1/Tenant/keys',
    operationId: 'keys',
    summary: 'List the API keys',
    responses: { 200: answer('The default key first.', z.array(Key)), ...anyOperation },
    middleware: bySession(deps),
  });
  const KeyToMake = item({ label: keyLabel.nullish() }, unknownFields).openapi('KeyToMake');
  const made = createRoute({
    ...common,
    method: 'post',
    path: '/api/v1/Tenant/keys',
    operationId: 'createKey',
    summary: 'Make an API key',
    description: 'As many as the tier allows.',
    middleware: [bySession(deps), jsonBody(KeyToMake, sizes)] as const,
    hide: true,
    responses: { 201: answer('The key.', NewKey), ...bodyOperation },
  });
  const rotated = createRoute({
    ...common,
    method: 'post',
    path: '/api/v1/Tenant/keys/{id}/rotate',
    operationId: 'rotateKey',
    summary: 'Give an API key another value',
    description: 'The old value is refused everywhere from the moment this is answered, and its streams of events end.',
    middleware: bySession(deps),
    request: { params: KeyId },
    responses: { 200: answer('The key.', NewKey), ...unknown, ...parameterOperation },
  });
  const deleted = createRoute({
    ...common,
    method: 'delete',
    path: '/api/v1/Tenant/keys/{id}',
    operationId: 'deleteKey',
    summary: 'Delete an API key',
    description: 'Refused everywhere from the moment this is answered. The default key can only be rotated.',
    middleware: bySession(deps),
    request: { params: KeyId },
    responses: {
      200: answer('Done.', z.object({ deleted: z.uuid() }).openapi('DeletedKey')),
      ...unknown,
      ...parameterOperation,
    },
  });

  const app = new OpenAPIHono<AppEnv>();
  documentBody(app, made, KeyToMake);
  return app
    .openapi(listed, async (c) => {
      const { result, quota } = await listKeys(deps, personOf(c));
      c.set('quota', quota);
      return c.json(result.map(toBody), 200);
    })
    .openapi(made, async (c) => {
      const { result, quota } = await createKey(deps, personOf(c), c.get('body').label ?? null);
      c.set('quota', quota);
      return c.json({ ...toBody(result.row), key: result.key }, 201);
    })
    .openapi(rotated, async (c) => {
      const { row, key } = await rotateKey(deps, personOf(c), c.req.valid('param').id);
      return c.json({ ...toBody(row), key }, 200);
    })
    .openapi(deleted, async (c) => {
      const { id } = c.req.valid('param');
      await deleteKey(deps, personOf(c), id);
      return c.json({ deleted: id }, 200);
    });
};
