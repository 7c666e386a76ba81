/**
 * /api/v1/Tenant/keys: lists, makes, rotates and deletes the tenant's API keys (docs/specification.md#identity,
 * #operations). With a session.
 */
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { DeletedKey, Key, KeyParams, KeyWithValue, NewKey } from '../../../contract/keys.ts';
import { LimitError } from '../../../domain/errors.ts';
import { authenticate } from '../../../engine/tenant/authenticate.ts';
import { chargeWrite } from '../../../engine/tenant/charge.ts';
import { emitLimitReached } from '../../../engine/tenant/emitLimitReached.ts';
import { digestOf, makeKey } from '../../../identity/credentials.ts';
import type { Sealer } from '../../../identity/sealer.ts';
import { createKey, deleteKey, type KeyRow, listKeys, rotateKey } from '../../../store/keys.ts';
import type { Store } from '../../../store/records.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { actorName, bySession } from '../../middleware/bySession.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, anyOperation, bodyOperation, parameterOperation, unknown } from '../../responses.ts';

const common = { tags: ['Tenant'], security: [{ session: [] }] };

const listed = operation({
  ...common,
  method: 'get',
  path: '/api/v1/Tenant/keys',
  operationId: 'keys',
  summary: 'List the API keys',
  responses: { 200: answer('The default key first.', z.array(Key)), ...anyOperation },
});

const made = operation({
  ...common,
  method: 'post',
  path: '/api/v1/Tenant/keys',
  operationId: 'createKey',
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

export const keysRoutes = (deps: HttpDeps, store: Store, sealer: Sealer) => {
  const { engine, reads } = deps;

  const newValue = async (tenant: string) => {
    const key = makeKey(tenant);
    return { key, digest: digestOf(key), sealed: await sealer.seal(key) };
  };

  const app = new OpenAPIHono<AppEnv>();
  return app
    .openapi({ ...listed, middleware: bySession(deps) }, async (c) => {
      const credential = c.get('credential');
      await reads.charge(credential);
      return c.json((await listKeys(store, credential.tenant)).map(toBody), 200);
    })
    .openapi(withBody(made, deps, bySession(deps)), async (c) => {
      const credential = c.get('credential');
      const { tenant } = credential;
      await chargeWrite(engine, credential);
      const { key, digest, sealed } = await newValue(tenant);
      const label = c.get('body').label ?? null;
      const actor = actorName('user', c.get('user'));
      const row = await createKey(store, engine.tiers, tenant, { digest, sealed, label }, actor).catch(
        async (error) => {
          if (error instanceof LimitError) await emitLimitReached(engine, credential, null, 'ApiKeys', error.hit.limit);
          throw error;
        },
      );
      return c.json({ ...toBody(row), key }, 201);
    })
    .openapi({ ...rotated, middleware: bySession(deps) }, async (c) => {
      const credential = c.get('credential');
      // Never refused for want of quota: whoever has a key that leaked could spend it all.
      await authenticate(engine, credential);
      const { key, digest, sealed } = await newValue(credential.tenant);
      const actor = actorName('user', c.get('user'));
      const row = await rotateKey(store, credential.tenant, c.req.valid('param').id, { digest, sealed }, actor);
      return c.json({ ...toBody(row), key }, 200);
    })
    .openapi({ ...deleted, middleware: bySession(deps) }, async (c) => {
      const credential = c.get('credential');
      // Never refused for want of quota: whoever has a key that leaked could spend it all.
      await authenticate(engine, credential);
      const { id } = c.req.valid('param');
      await deleteKey(store, credential.tenant, id, actorName('user', c.get('user')));
      return c.json({ deleted: id }, 200);
    });
};
