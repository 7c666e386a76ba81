/**
 * GET /api/v1/Tenant: the tenant's tier, limits and what it uses of them (docs/specification.md#operations). With a key
 * or a session.
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { TIERS } from '../../../domain/tiers.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { tenantUsage } from '../../../operations/tenant.ts';
import type { Store } from '../../../store/records.ts';
import type { AppEnv } from '../../env.ts';
import { answer, anyOperation } from '../../responses.ts';

const limit = z.int().nullable().openapi({ description: 'Null: any number.' });

const TenantBody = z
  .object({
    id: z.string(),
    name: z.string(),
    tier: z.enum(TIERS),
    limits: z.object({
      writesPerMinute: limit,
      readsPerMinute: limit,
      writesPerDay: limit,
      reservations: limit,
      eventConnections: limit,
      apiKeys: limit,
      definitions: limit,
    }),
    usage: z.object({
      writesThisMinute: z.int(),
      writesToday: z.int(),
      reservations: z.int(),
      eventConnections: z.int(),
      definitions: z.int(),
      apiKeys: z.int(),
    }),
  })
  .openapi('Tenant');

const route = createRoute({
  method: 'get',
  path: '/api/v1/Tenant',
  operationId: 'tenant',
  tags: ['Tenant'],
  summary: 'See the tier, its limits and what is used of them',
  responses: { 200: answer('The tenant.', TenantBody), ...anyOperation },
});

export const tenantRoute = (deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads'>, store: Store) =>
  new OpenAPIHono<AppEnv>().openapi(route, async (c) => {
    const { result, quota } = await tenantUsage({ ...deps, store }, c.get('credential'));
    c.set('quota', quota);
    return c.json(result, 200);
  });
