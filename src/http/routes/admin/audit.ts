/**
 * /api/v1/admin/audit, /api/v1/admin/tenants/{id}/audit: the audit trail of all tenants, and of one, for administrators
 * (docs/specification.md#audit-trail).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { TenantParams } from '../../../contract/admin.ts';
import { AdminAuditQuery, AuditPage, AuditPageQuery, AuditTrail } from '../../../contract/audit.ts';
import { anyTrail, exportAnyTrail } from '../../../operations/audit.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import type { Store } from '../../../store/records.ts';
import { readTenant } from '../../../store/tenants.ts';
import { answerCsv, auditAnswer, toPage } from '../../audit.ts';
import { wantsCsv } from '../../csv.ts';
import type { AppEnv } from '../../env.ts';
import { operation } from '../../operation.ts';
import { answer, parameterOperation, unknown } from '../../responses.ts';

const ofAll = operation({
  method: 'get',
  path: '/api/v1/admin/audit',
  operationId: 'adminListAudit',
  right: 'administrator',
  tags: ['Administration'],
  summary: 'List who changed what in all tenants, the latest first',
  description: 'Also of tenants that have been deleted. With `Accept: text/csv`, or `format=csv`, all entries as CSV.',
  request: { query: AdminAuditQuery },
  responses: { 200: auditAnswer(AuditPage), ...parameterOperation },
});

const ofOne = operation({
  method: 'get',
  path: '/api/v1/admin/tenants/{id}/audit',
  operationId: 'adminListTenantAudit',
  right: 'administrator',
  tags: ['Administration'],
  summary: 'List the changes of a tenant, and who made them',
  description: 'The latest first, in pages.',
  request: { params: TenantParams, query: AuditPageQuery },
  responses: { 200: answer('The latest change first.', AuditTrail), ...unknown, ...parameterOperation },
});

export const adminAuditOperations = [ofAll, ofOne];

export const adminAuditRoutes = (deps: Pick<OperationDeps, 'activity' | 'reads' | 'listings'>, store: Store) =>
  new OpenAPIHono<AppEnv>()
    .openapi(ofAll, async (c) => {
      const { before, limit, format, ...filter } = c.req.valid('query');
      if (wantsCsv(c, format))
        return answerCsv(c, deps, () => exportAnyTrail({ ...deps, store }, c.get('actor'), filter));
      return c.json(toPage(await anyTrail(store, filter, before, limit)), 200);
    })
    .openapi(ofOne, async (c) => {
      const { id } = c.req.valid('param');
      await readTenant(store, id);
      const { before, limit } = c.req.valid('query');
      const { entries } = toPage(await anyTrail(store, { tenant: id }, before, limit));
      return c.json(
        entries.map(({ tenant: _, ...entry }) => entry),
        200,
      );
    });
