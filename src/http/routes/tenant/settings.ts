/**
 * /api/v1/Tenant/settings: what a tenant decides for itself (docs/specification.md#what-a-name-means, #operations).
 * With a session.
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { chargeWrite } from '../../../engine/tenant/charge.ts';
import type { Store } from '../../../store/records.ts';
import { putSettings, readTenant } from '../../../store/tenants.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { item } from '../../fields.ts';
import { actorName, bySession } from '../../middleware/bySession.ts';
import { documentBody, jsonBody } from '../../middleware/jsonBody.ts';
import { answer, anyOperation, bodyOperation } from '../../responses.ts';

const fields = {
  requireRegistration: z
    .boolean('must be true or false')
    .openapi({ description: 'Whether only what is registered may be reserved.' }),
};

export const settingsRoutes = (deps: HttpDeps, store: Store) => {
  const common = { path: '/api/v1/Tenant/settings', tags: ['Tenant'], security: [{ session: [] }] };
  const Settings = item(fields, deps.unknownFields).openapi('Settings');
  const read = createRoute({
    ...common,
    method: 'get',
    operationId: 'settings',
    summary: 'See the settings',
    middleware: bySession(deps),
    responses: { 200: answer('The settings.', Settings), ...anyOperation },
  });
  const put = createRoute({
    ...common,
    method: 'put',
    operationId: 'putSettings',
    summary: 'Change the settings',
    middleware: [bySession(deps), jsonBody(Settings, deps.sizes)] as const,
    hide: true,
    responses: { 200: answer('The settings.', Settings), ...bodyOperation },
  });

  const app = new OpenAPIHono<AppEnv>();
  documentBody(app, put, Settings);
  return app
    .openapi(read, async (c) => {
      const credential = c.get('credential');
      await deps.reads.charge(credential);
      const { requireRegistration } = await readTenant(store, credential.tenant);
      return c.json({ requireRegistration }, 200);
    })
    .openapi(put, async (c) => {
      const credential = c.get('credential');
      await chargeWrite(deps.engine, credential);
      const { requireRegistration } = c.get('body');
      await putSettings(store, credential.tenant, { requireRegistration }, actorName('user', c.get('user')));
      return c.json({ requireRegistration }, 200);
    });
};
