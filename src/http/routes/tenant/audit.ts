/**
 * GET /api/v1/Tenant/audit: lists who changed what in the tenant, as JSON page by page, or all of it as CSV
 * (docs/specification.md#audit-trail).
 */
import { OpenAPIHono } from '@hono/zod-openapi';
import { AuditPage, AuditQuery } from '../../../contract/audit.ts';
import { exportTrail, readTrail } from '../../../operations/audit.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import type { Store } from '../../../store/records.ts';
import { answerCsv, auditAnswer, toPage } from '../../audit.ts';
import { wantsCsv } from '../../csv.ts';
import type { AppEnv } from '../../env.ts';
import { bySession, type SessionDeps } from '../../middleware/bySession.ts';
import { operation } from '../../operation.ts';
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
  deps: SessionDeps & Pick<OperationDeps, 'engine' | 'activity' | 'reads' | 'listings'>,
  store: Store,
) =>
  new OpenAPIHono<AppEnv>().openapi(
    { ...auditOperation, middleware: bySession(deps, auditOperation.right) },
    async (c) => {
      const { before, limit, format, ...filter } = c.req.valid('query');
      const actor = c.get('actor');
      if (wantsCsv(c, format)) return answerCsv(c, deps, () => exportTrail({ ...deps, store }, actor, filter));
      const { result, quota } = await readTrail({ ...deps, store }, actor, filter, before, limit);
      c.set('quota', quota);
      return c.json(toPage(result), 200);
    },
  );
