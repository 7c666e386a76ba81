/**
 * /api/v1/admin/tenants: what administrators do with tenants (docs/specification.md#operations). Whatever they change
 * is in the audit trail.
 */
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { nameFault, TENANT_ID } from '../../../domain/names.ts';
import { TIERS } from '../../../domain/tiers.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { changeTier, resetTenant, resume, suspend } from '../../../operations/tenants.ts';
import { auditTrail } from '../../../store/audit.ts';
import type { Store } from '../../../store/records.ts';
import { listTenants, readTenant, type Tenant } from '../../../store/tenants.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { item, time } from '../../fields.ts';
import { personOf } from '../../middleware/bySession.ts';
import { documentBody, jsonBody } from '../../middleware/jsonBody.ts';
import { answer, bodyOperation, parameterOperation, unknown } from '../../responses.ts';

const AdminTenant = z
  .object({
    id: z.string(),
    name: z.string(),
    tier: z.enum(TIERS),
    suspendedAt: time.nullable(),
    requireRegistration: z.boolean(),
    createdAt: time,
  })
  .openapi('AdminTenant');

const toBody = ({ suspendedAt, createdAt, ...tenant }: Tenant) => ({
  ...tenant,
  suspendedAt: suspendedAt?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
});

const TenantId = z.string().regex(TENANT_ID, 'must be the id of a tenant');
const params = z.object({ id: TenantId });

/** Characters of a search. */
const MOST_SEARCHED = 100;

const pageOf = (max: number) =>
  z
    .string()
    .regex(/^\d{1,4}$/, `must be an integer from 1 to ${max}`)
    .default('50')
    .transform(Number)
    .pipe(z.number().min(1, `must be an integer from 1 to ${max}`).max(max, `must be an integer from 1 to ${max}`))
    .openapi({ type: 'integer', minimum: 1, maximum: max, default: 50 });

const PATH = '/api/v1/admin/tenants';

const common = { tags: ['Administration'], security: [{ session: [] }] };

const listed = createRoute({
  ...common,
  method: 'get',
  path: PATH,
  operationId: 'adminTenants',
  summary: 'Search the tenants',
  request: {
    query: z.object({
      search: z
        .string()
        .superRefine((text, context) => {
          const fault = nameFault(text, MOST_SEARCHED);
          if (fault !== null) context.addIssue({ code: 'custom', message: fault });
        })
        .optional()
        .openapi({ description: 'Part of an id or a name.', minLength: 1, maxLength: MOST_SEARCHED }),
      after: TenantId.optional().openapi({ description: 'The `next` of the page before.' }),
      limit: pageOf(500),
    }),
  },
  responses: {
    200: answer(
      'A page, by id.',
      z.object({ tenants: z.array(AdminTenant), next: z.string().nullable() }).openapi('AdminTenants'),
    ),
    ...parameterOperation,
  },
});

const read = createRoute({
  ...common,
  method: 'get',
  path: `${PATH}/{id}`,
  operationId: 'adminTenant',
  summary: 'See a tenant',
  request: { params },
  responses: { 200: answer('The tenant.', AdminTenant), ...unknown, ...parameterOperation },
});

const action = (name: string, summary: string) =>
  createRoute({
    ...common,
    method: 'post',
    path: `${PATH}/{id}/${name}`,
    operationId: `admin${name}`,
    summary,
    request: { params },
    responses: { 200: answer('The tenant.', AdminTenant), ...unknown, ...parameterOperation },
  });

const resetAll = createRoute({
  ...common,
  method: 'post',
  path: `${PATH}/{id}/reset`,
  operationId: 'adminReset',
  summary: 'End all reservations of a tenant',
  request: { params },
  responses: {
    200: answer('Done.', z.object({ cleared: z.int() }).openapi('AdminCleared')),
    ...unknown,
    ...parameterOperation,
  },
});

const trail = createRoute({
  ...common,
  method: 'get',
  path: `${PATH}/{id}/audit`,
  operationId: 'adminAudit',
  summary: 'See who changed what of a tenant',
  request: {
    params,
    query: z.object({
      before: z
        .string()
        .regex(/^\d{1,15}$/, 'must be the id of an entry')
        .transform(Number)
        .optional()
        .openapi({ type: 'integer', description: 'Only what is older than this entry.' }),
      limit: pageOf(500),
    }),
  },
  responses: {
    200: answer(
      'The latest first.',
      z
        .array(
          z.object({
            id: z.int(),
            at: time,
            actor: z.string(),
            action: z.string(),
            details: z.record(z.string(), z.unknown()),
          }),
        )
        .openapi('AuditTrail'),
    ),
    ...unknown,
    ...parameterOperation,
  },
});

export const adminRoutes = (
  { engine, sizes, unknownFields }: BodyDeps & Pick<OperationDeps, 'engine'>,
  store: Store,
) => {
  const tier = z.enum(TIERS, `must be one of ${TIERS.join(', ')}`);
  const TierChange = item({ tier }, unknownFields).openapi('TierChange');
  const tierChange = createRoute({
    ...common,
    method: 'put',
    path: `${PATH}/{id}/tier`,
    operationId: 'adminTier',
    summary: 'Give a tenant another tier',
    description: 'From the next request on, in windows of its own.',
    middleware: jsonBody(TierChange, sizes),
    hide: true,
    request: { params },
    responses: { 200: answer('The tenant.', AdminTenant), ...unknown, ...bodyOperation },
  });

  const app = new OpenAPIHono<AppEnv>();
  documentBody(app, tierChange, TierChange);
  return app
    .openapi(listed, async (c) => {
      const { search, after, limit } = c.req.valid('query');
      const page = await listTenants(store, search, after, limit);
      return c.json({ tenants: page.map(toBody), next: page.length < limit ? null : (page.at(-1)?.id ?? null) }, 200);
    })
    .openapi(read, async (c) => c.json(toBody(await readTenant(store, c.req.valid('param').id)), 200))
    .openapi(tierChange, async (c) => {
      const { id } = c.req.valid('param');
      return c.json(toBody(await changeTier(store, personOf(c), id, c.get('body').tier)), 200);
    })
    .openapi(action('suspend', 'Suspend a tenant'), async (c) =>
      c.json(toBody(await suspend(store, personOf(c), c.req.valid('param').id)), 200),
    )
    .openapi(action('resume', 'End the suspension of a tenant'), async (c) =>
      c.json(toBody(await resume(store, personOf(c), c.req.valid('param').id)), 200),
    )
    .openapi(resetAll, async (c) => {
      const cleared = await resetTenant(engine, store, personOf(c), c.req.valid('param').id);
      return c.json({ cleared }, 200);
    })
    .openapi(trail, async (c) => {
      const { id } = c.req.valid('param');
      await readTenant(store, id);
      const { before, limit } = c.req.valid('query');
      const entries = await auditTrail(store.database, id, before, limit);
      return c.json(
        entries.map(({ at, details, ...entry }) => ({
          ...entry,
          at: at.toISOString(),
          details: Details.parse(details),
        })),
        200,
      );
    });
};

const Details = z.record(z.string(), z.unknown());
