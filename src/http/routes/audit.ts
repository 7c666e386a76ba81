/**
 * The audit trail (docs/specification.md#audit-trail), of a tenant and of all: pages of JSON, or CSV.
 */
import type { z } from '@hono/zod-openapi';
import { TenantParams } from '../../contract/admin.ts';
import {
  AdminAuditQuery,
  AuditDetails,
  type AuditEntry,
  AuditPage,
  AuditPageQuery,
  AuditQuery,
  AuditTrail,
} from '../../contract/audit.ts';
import {
  anyTrail,
  exportAnyTrail,
  exportTrail,
  readTrail,
  type AuditPage as TrailPage,
} from '../../operations/audit.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import type { OpenList } from '../../operations/lists.ts';
import type { AuditRow } from '../../store/audit.ts';
import type { Store } from '../../store/records.ts';
import { readTenant } from '../../store/tenants.ts';
import type { Call } from '../call/call.ts';
import { CSV, csvHeaders, csvRows, wantsCsv } from '../call/csv.ts';
import { answerList } from '../call/listing.ts';
import { operation } from '../call/operation.ts';
import { asIs, charged, json, type Reply } from '../call/reply.ts';
import { type Route, route } from '../call/route.ts';
import { answer, parameterOperation, unknown } from '../openapi/responses.ts';

const COLUMNS = ['id', 'at', 'tenant', 'actor', 'address', 'action', 'details'] as const;

/** The 200 of the OpenAPI document, for pages of a schema and CSV. */
const auditAnswer = <Schema extends z.ZodType>(page: Schema) => {
  const { description, content } = answer('The latest entries first.', page);
  const example = `${COLUMNS.join(',')}\r\n`;
  return { description, content: { ...content, [CSV]: { schema: { type: 'string' as const, example } } } };
};

const toEntry = ({ id, at, tenantId, actor, address, action, details }: AuditRow): AuditEntry => ({
  id,
  at: at.toISOString(),
  tenant: tenantId,
  actor,
  address,
  action,
  details: AuditDetails.parse(details),
});

const toPage = ({ entries, next }: TrailPage) => ({ entries: entries.map(toEntry), next });

/** Answers with CSV, page by page. @throws the errors of `open` */
const answerCsv = (
  call: Call,
  deps: Pick<OperationDeps, 'activity' | 'reads'>,
  open: () => Promise<OpenList<AuditRow>>,
): Promise<Reply> => {
  const writer = csvRows(COLUMNS, (row: AuditRow) => {
    const { id, details, address, ...rest } = toEntry(row);
    const texts = { ...rest, id: String(id), address: address ?? '', details: JSON.stringify(details) };
    return COLUMNS.map((column) => texts[column]);
  });
  return answerList(call, deps, open, writer, csvHeaders('audit'));
};

/**
 * GET /api/v1/Tenant/audit: lists who changed what in the tenant, as JSON page by page, or all of it as CSV
 * (docs/specification.md#audit-trail).
 */
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

const allOperation = operation({
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

const oneOperation = operation({
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

/**
 * /api/v1/admin/audit, /api/v1/admin/tenants/{id}/audit: the audit trail of all tenants, and of one, for administrators
 * (docs/specification.md#audit-trail).
 */
export const adminAuditOperations = [allOperation, oneOperation];

export const adminAuditRoutes = (
  deps: Pick<OperationDeps, 'activity' | 'reads' | 'listings'> & { readonly store: Store },
): readonly Route[] => [
  route(
    allOperation,
    async (call) => {
      const { before, limit, format, ...filter } = call.query;
      if (wantsCsv(call, format)) return answerCsv(call, deps, () => exportAnyTrail(deps, call.actor, filter));
      return json(toPage(await anyTrail(deps.store, filter, before, limit)));
    },
    asIs,
  ),
  route(
    oneOperation,
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
