/**
 * /api/v1/Tenant/settings: what a tenant decides for itself (docs/specification.md#what-a-name-means, #operations).
 * With a session.
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { OperationDeps } from '../../../operations/deps.ts';
import { changeSettings, readSettings } from '../../../operations/settings.ts';
import type { Store } from '../../../store/records.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { item } from '../../fields.ts';
import { bySession, personOf } from '../../middleware/bySession.ts';
import { documentBody, jsonBody } from '../../middleware/jsonBody.ts';
import { answer, anyOperation, bodyOperation } from '../../responses.ts';

const fields = {
  requireRegistration: z
    .boolean('must be true or false')
    .openapi({ description: 'Whether only what is registered may be reserved.' }),
};

export const settingsRoutes = (deps: BodyDeps & Pick<OperationDeps, 'engine' | 'activity' | 'reads'>, store: Store) => {
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
      const { result, quota } = await readSettings({ ...deps, store }, personOf(c));
      c.set('quota', quota);
      return c.json(result, 200);
    })
    .openapi(put, async (c) => {
      const { result, quota } = await changeSettings({ ...deps, store }, personOf(c), c.get('body'));
      c.set('quota', quota);
      return c.json(result, 200);
    });
};
