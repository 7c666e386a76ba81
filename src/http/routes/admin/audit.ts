/**
 * /api/v1/admin/audit, /api/v1/admin/tenants/{id}/audit: the audit trail of all tenants, and of one, for administrators
 * (docs/specification.md#audit-trail).
 */
import { TenantParams } from '../../../contract/admin.ts';
import { AdminAuditQuery, AuditPage, AuditPageQuery, AuditTrail } from '../../../contract/audit.ts';
import { anyTrail, exportAnyTrail } from '../../../operations/audit.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import type { Store } from '../../../store/records.ts';
import { readTenant } from '../../../store/tenants.ts';
import { answerCsv, auditAnswer, toPage } from '../../audit.ts';
import { wantsCsv } from '../../call/csv.ts';
import { operation } from '../../call/operation.ts';
import { asIs, json } from '../../call/reply.ts';
import { type Route, route } from '../../call/route.ts';
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

export const adminAuditRoutes = (
  deps: Pick<OperationDeps, 'activity' | 'reads' | 'listings'> & { readonly store: Store },
): readonly Route[] => [
  route(
    ofAll,
    async (call) => {
      const { before, limit, format, ...filter } = call.query;
      if (wantsCsv(call, format)) return answerCsv(call, deps, () => exportAnyTrail(deps, call.actor, filter));
      return json(toPage(await anyTrail(deps.store, filter, before, limit)));
    },
    asIs,
  ),
  route(
    ofOne,
    async (call) => {
      const { id } = call.params;
      await readTenant(deps.store, id);
      const { before, limit } = call.query;
      const { entries } = toPage(await anyTrail(deps.store, { tenant: id }, before, limit));
      return entries.map(({ tenant: _, ...entry }) => entry);
    },
    (entries) => json(entries),
  ),
];
