/**
 * The audit trail in responses (docs/specification.md#audit-trail): pages of JSON, or CSV.
 */
import type { z } from '@hono/zod-openapi';
import { AuditDetails, type AuditEntry } from '../contract/audit.ts';
import type { AuditPage } from '../operations/audit.ts';
import type { OperationDeps } from '../operations/deps.ts';
import type { OpenList } from '../operations/lists.ts';
import type { AuditRow } from '../store/audit.ts';
import type { Call } from './call/call.ts';
import { CSV, csvHeaders, csvRows } from './call/csv.ts';
import { answerList } from './call/listing.ts';
import type { Reply } from './call/reply.ts';
import { answer } from './responses.ts';

const COLUMNS = ['id', 'at', 'tenant', 'actor', 'address', 'action', 'details'] as const;

/** The 200 of the OpenAPI document, for pages of a schema and CSV. */
export const auditAnswer = <Schema extends z.ZodType>(page: Schema) => {
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

export const toPage = ({ entries, next }: AuditPage) => ({ entries: entries.map(toEntry), next });

/** Answers with CSV, page by page. @throws the errors of `open` */
export const answerCsv = (
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
