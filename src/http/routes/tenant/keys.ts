/**
 * /api/v1/Tenant/keys: the tenant's API keys: listed, made, rotated, deleted (docs/specification.md#identity,
 * #operations). With a session.
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { LimitError } from '../../../domain/errors.ts';
import { authenticate } from '../../../engine/tenant/authenticate.ts';
import { chargeWrite } from '../../../engine/tenant/charge.ts';
import { tellLimit } from '../../../engine/tenant/tellLimit.ts';
import { digestOf, makeKey } from '../../../identity/credentials.ts';
import type { Sealer } from '../../../identity/sealer.ts';
import { createKey, deleteKey, type KeyRow, listKeys, rotateKey } from '../../../store/keys.ts';
import type { Store } from '../../../store/records.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { item, keyLabel, time } from '../../fields.ts';
import { actorName, bySession } from '../../middleware/bySession.ts';
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

export const keysRoutes = (deps: HttpDeps, store: Store, sealer: Sealer) => {
  const { engine, reads, sizes, unknownFields } = deps;
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

  const newValue = async (tenant: string) => {
    const key = makeKey(tenant);
    return { key, digest: digestOf(key), sealed: await sealer.seal(key) };
  };

  const app = new OpenAPIHono<AppEnv>();
  documentBody(app, made, KeyToMake);
  return app
    .openapi(listed, async (c) => {
      const credential = c.get('credential');
      await reads.charge(credential);
      return c.json((await listKeys(store, credential.tenant)).map(toBody), 200);
    })
    .openapi(made, async (c) => {
      const credential = c.get('credential');
      const { tenant } = credential;
      await chargeWrite(engine, credential);
      const { key, digest, sealed } = await newValue(tenant);
      const label = c.get('body').label ?? null;
      const actor = actorName('user', c.get('user'));
      const row = await createKey(store, engine.tiers, tenant, { digest, sealed, label }, actor).catch(
        async (error) => {
          if (error instanceof LimitError) await tellLimit(engine, credential, null, 'ApiKeys', error.hit.limit);
          throw error;
        },
      );
      return c.json({ ...toBody(row), key }, 201);
    })
    .openapi(rotated, async (c) => {
      const credential = c.get('credential');
      // Never refused for want of quota: whoever has a key that leaked could spend it all.
      await authenticate(engine, credential);
      const { key, digest, sealed } = await newValue(credential.tenant);
      const actor = actorName('user', c.get('user'));
      const row = await rotateKey(store, credential.tenant, c.req.valid('param').id, { digest, sealed }, actor);
      return c.json({ ...toBody(row), key }, 200);
    })
    .openapi(deleted, async (c) => {
      const credential = c.get('credential');
      // Never refused for want of quota: whoever has a key that leaked could spend it all.
      await authenticate(engine, credential);
      const { id } = c.req.valid('param');
      await deleteKey(store, credential.tenant, id, actorName('user', c.get('user')));
      return c.json({ deleted: id }, 200);
    });
};
