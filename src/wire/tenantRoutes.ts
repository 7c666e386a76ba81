/**
 * The routes that need a database: a tenant's own administration, and that of all tenants. Loaded only if a database is
 * configured.
 */
import type { Route } from '../http/call/route.ts';
import type { HttpDeps, TenantDeps } from '../http/deps.ts';
import { adminAuditRoutes, auditRoute } from '../http/routes/audit.ts';
import { groupsRoutes } from '../http/routes/tenant/groups.ts';
import { invitationsRoutes } from '../http/routes/tenant/invitations.ts';
import { issuersRoutes } from '../http/routes/tenant/issuers.ts';
import { keysRoutes } from '../http/routes/tenant/keys.ts';
import { managementTokensRoutes } from '../http/routes/tenant/managementTokens.ts';
import { membersRoutes } from '../http/routes/tenant/members.ts';
import { noticesRoutes } from '../http/routes/tenant/notices.ts';
import { slackAppRoutes } from '../http/routes/tenant/slack.ts';
import { deleteTenantRoute, settingsRoutes, tenantRoute } from '../http/routes/tenant/tenant.ts';
import { adminRoutes } from '../http/routes/tenants.ts';
import { type SlackEndpointDeps, slackRoute } from '../slack/endpoint.ts';

type Deps = HttpDeps & Pick<SlackEndpointDeps, 'publicUrl' | 'memberships'>;

export function tenantRoutes(given: Deps, tenants: TenantDeps): readonly Route[] {
  const deps = { ...given, ...tenants };
  return [
    tenantRoute(deps),
    ...keysRoutes(deps),
    ...settingsRoutes(deps),
    ...issuersRoutes(deps, tenants.allowPrivateJwks),
    ...noticesRoutes(deps),
    ...membersRoutes(deps),
    ...invitationsRoutes(deps, given),
    ...groupsRoutes(deps),
    ...slackAppRoutes(deps),
    slackRoute(deps),
    deleteTenantRoute(deps),
    auditRoute(deps),
    ...managementTokensRoutes(deps),
    ...adminRoutes(deps, tenants),
    ...adminAuditRoutes(deps),
  ];
}
