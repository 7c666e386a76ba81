/**
 * The routes that need a database: a tenant's own administration, and that of all tenants. Loaded only if a database is
 * configured.
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import type { HttpDeps, TenantDeps } from '../http/deps.ts';
import type { AppEnv } from '../http/env.ts';
import { byAdmin, bySession } from '../http/middleware/bySession.ts';
import { adminAuditRoutes } from '../http/routes/admin/audit.ts';
import { adminRoutes } from '../http/routes/admin/tenants.ts';
import { auditRoute } from '../http/routes/tenant/audit.ts';
import { deleteTenantRoute } from '../http/routes/tenant/deleteTenant.ts';
import { groupsRoutes } from '../http/routes/tenant/groups.ts';
import { invitationsRoutes } from '../http/routes/tenant/invitations.ts';
import { issuersRoutes } from '../http/routes/tenant/issuers.ts';
import { keysRoutes } from '../http/routes/tenant/keys.ts';
import { managementTokensRoutes } from '../http/routes/tenant/managementTokens.ts';
import { membersRoutes } from '../http/routes/tenant/members.ts';
import { settingsRoutes } from '../http/routes/tenant/settings.ts';
import { tenantRoute } from '../http/routes/tenant/tenant.ts';
import type { AdminRule } from '../identity/admins.ts';

type Deps = HttpDeps & { readonly adminRule: AdminRule; readonly publicUrl: string | undefined };

export function tenantRoutes(deps: Deps, tenants: TenantDeps): OpenAPIHono<AppEnv> {
  const { store, sealer, allowPrivateJwks } = tenants;
  const app = new OpenAPIHono<AppEnv>();
  app.route('/', tenantRoute(deps, store));
  app.route('/', keysRoutes({ ...deps, store, sealer }));
  app.route('/', settingsRoutes(deps, store));
  app.route('/', issuersRoutes(deps, store, allowPrivateJwks));
  app.route('/', membersRoutes({ ...deps, store }));
  app.route('/', invitationsRoutes({ ...deps, store }, deps));
  app.route('/', groupsRoutes({ ...deps, store }));
  app.route('/', deleteTenantRoute(deps, store));
  app.route('/', auditRoute(deps, store));
  app.route('/', managementTokensRoutes(deps, store));
  app.use('/api/v1/admin/*', bySession(deps, 'administrator'), byAdmin(deps.adminRule));
  app.route('/', adminRoutes(deps, tenants));
  app.route('/', adminAuditRoutes(deps, store));
  return app;
}
