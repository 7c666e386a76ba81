/**
 * GET /api/v1/Tenant/audit: lists who changed what in the tenant, as JSON page by page, or all of it as CSV
 * (docs/specification.md#audit-trail).
 */
import { AuditPage, AuditQuery } from '../../../contract/audit.ts';
import { exportTrail, readTrail } from '../../../operations/audit.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import type { Store } from '../../../store/records.ts';
import { answerCsv, auditAnswer, toPage } from '../../audit.ts';
import { wantsCsv } from '../../call/csv.ts';
import { operation } from '../../call/operation.ts';
import { asIs, charged } from '../../call/reply.ts';
import { type Route, route } from '../../call/route.ts';
import { parameterOperation } from '../../responses.ts';

export const auditOperation = operation({
  method: 'get',
  path: '/api/v1/Tenant/audit',
  operationId: 'listAudit',
  right: 'audit',
  tags: ['Tenant'],
  summary: 'List who changed what, the latest first',
  description:
    'With `Accept: text/csv`, or `format=csv`, the response has all entries as CSV. That costs one read for each 1,000 entries.',
  request: { query: AuditQuery },
  responses: { 200: auditAnswer(AuditPage), ...parameterOperation },
});

export const auditRoute = (
  deps: Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings'> & { readonly store: Store },
): Route =>
  route(
    auditOperation,
    async (call) => {
      const { before, limit, format, ...filter } = call.query;
      const { actor } = call;
      if (wantsCsv(call, format)) return answerCsv(call, deps, () => exportTrail(deps, actor, filter));
      const { result, quota } = await readTrail(deps, actor, filter, before, limit);
      return charged({ result: toPage(result), quota }, call);
    },
    asIs,
  );
