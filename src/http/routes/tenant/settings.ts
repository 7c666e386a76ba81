/**
 * /api/v1/Tenant/settings: shows and changes the tenant's settings (docs/specification.md#settings). With a
 * session or a management token.
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { Settings, SettingsChange } from '../../../contract/tenant.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { changeSettings, readSettings } from '../../../operations/settings.ts';
import type { Store } from '../../../store/records.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { bySession, type SessionDeps } from '../../middleware/bySession.ts';
import { operation, withBody } from '../../operation.ts';
import { answer, anyOperation, bodyOperation } from '../../responses.ts';

const common = { path: '/api/v1/Tenant/settings', tags: ['Tenant'] };

const read = operation({
  ...common,
  method: 'get',
  operationId: 'getSettings',
  right: 'settings',
  summary: 'See the settings',
  description: 'All of them, also those that nobody has changed.',
  responses: { 200: answer('The settings.', Settings), ...anyOperation },
});

const put = operation({
  ...common,
  method: 'put',
  operationId: 'changeSettings',
  right: 'settings',
  summary: 'Change the settings',
  description:
    'Settings that are left out stay as they are, and null clears a lease. A change holds on every instance once this call returns. Reservations in force are not touched until they are renewed.',
  body: SettingsChange,
  responses: { 200: answer('The settings.', Settings), ...bodyOperation },
});

export const settingsOperations = [read, put];

export const settingsRoutes = (
  deps: BodyDeps & SessionDeps & Pick<OperationDeps, 'engine' | 'activity' | 'reads'>,
  store: Store,
) => {
  const app = new OpenAPIHono<AppEnv>();
  return app
    .openapi({ ...read, middleware: bySession(deps, read.right) }, async (c) => {
      const { result, quota } = await readSettings({ ...deps, store }, c.get('actor'));
      c.set('quota', quota);
      return c.json(result, 200);
    })
    .openapi(withBody(put, deps, bySession(deps, put.right)), async (c) => {
      const { result, quota } = await changeSettings({ ...deps, store }, c.get('actor'), c.get('body'));
      c.set('quota', quota);
      return c.json(result, 200);
    });
};
