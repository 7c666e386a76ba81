/**
 * /api/v1/Tenant/settings: shows and changes the tenant's settings (docs/specification.md#what-a-name-means,
 * #operations). With a session.
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { Settings } from '../../../contract/tenant.ts';
import { chargeWrite } from '../../../engine/tenant/charge.ts';
import type { Store } from '../../../store/records.ts';
import { putSettings, readTenant } from '../../../store/tenants.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { actorName, bySession } from '../../middleware/bySession.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, anyOperation, bodyOperation } from '../../responses.ts';

const common = { path: '/api/v1/Tenant/settings', tags: ['Tenant'], security: [{ session: [] }] };

const read = operation({
  ...common,
  method: 'get',
  operationId: 'settings',
  summary: 'See the settings',
  responses: { 200: answer('The settings.', Settings), ...anyOperation },
});

const put = operation({
  ...common,
  method: 'put',
  operationId: 'putSettings',
  summary: 'Change the settings',
  body: Settings,
  responses: { 200: answer('The settings.', Settings), ...bodyOperation },
});

export const settingsOperations = [read, put];

export const settingsRoutes = (deps: HttpDeps, store: Store) => {
  const app = new OpenAPIHono<AppEnv>();
  return app
    .openapi({ ...read, middleware: bySession(deps) }, async (c) => {
      const credential = c.get('credential');
      await deps.reads.charge(credential);
      const { requireRegistration } = await readTenant(store, credential.tenant);
      return c.json({ requireRegistration }, 200);
    })
    .openapi(withBody(put, deps, bySession(deps)), async (c) => {
      const credential = c.get('credential');
      await chargeWrite(deps.engine, credential);
      const { requireRegistration } = c.get('body');
      await putSettings(store, credential.tenant, { requireRegistration }, actorName('user', c.get('user')));
      return c.json({ requireRegistration }, 200);
    });
};
