/** The audit trail: who changed what in a tenant, and when (docs/specification.md#audit-trail). */
import { z } from 'zod';
import { instant, listFormat, name, pageLimit, tenantId, time } from './fields.ts';

/** `person:` and an e-mail address, which has at most 320 characters. */
const MAX_ACTOR_LENGTH = 400;

const before = z
  .string()
  .regex(/^\d{1,15}$/, 'must be the id of an entry')
  .transform(Number)
  .optional()
  .meta({ type: 'integer', description: 'Only entries older than this one.' });

/** A page of one tenant's trail. */
export const AuditPageQuery = z.object({ before, limit: pageLimit });

const filters = {
  actor: name(MAX_ACTOR_LENGTH)
    .optional()
    .meta({ description: 'Only what this actor did.', example: 'person:ann@example.com' }),
  action: z
    .string()
    .regex(/^[a-z.-]{1,64}$/, 'must be the name of an action, as key.create')
    .optional()
    .meta({ description: 'Only this action.', example: 'key.create' }),
  from: instant.meta({ type: 'string', format: 'date-time', description: 'Only entries of this time or later.' }),
  to: instant.meta({ type: 'string', format: 'date-time', description: 'Only entries before this time.' }),
};

export const AuditQuery = z.object({ ...filters, before, limit: pageLimit, format: listFormat('entries') });

export const AdminAuditQuery = AuditQuery.extend({
  tenant: tenantId.optional().meta({ description: 'Only entries of this tenant.', example: 'acme' }),
});

export const AuditDetails = z.record(z.string(), z.unknown());

const address = z.string().nullable().meta({
  description: 'The address that the request came from; of IPv6 its /64. Null: not known.',
  example: '192.0.2.7',
});

const id = z.int().meta({ description: 'Names the entry. A later entry has a higher one.' });
const at = time.meta({ description: 'When it happened.' });
const actor = z.string().meta({
  description:
    '`person:` or `admin:` with the e-mail address or the subject, `key:` or `token:` with the label, `key` without a label, `service` if nobody asked for it.',
  example: 'person:ann@example.com',
});
const action = z.string().meta({ description: 'What was done.', example: 'key.create' });
const details = AuditDetails.meta({ description: 'What the action was about.', example: { label: 'worker' } });

export const AuditTrail = z.array(z.object({ id, at, actor, address, action, details })).meta({ id: 'AuditTrail' });

const AuditEntry = z
  .object({
    id,
    at,
    tenant: z.string().meta({ description: 'The id of the tenant.', example: 'acme' }),
    actor,
    address,
    action,
    details,
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.output<typeof AuditEntry>;

export const AuditPage = z
  .object({
    entries: z.array(AuditEntry).meta({ description: 'The latest first.' }),
    next: z.int().nullable().meta({ description: 'The `before` of the next page. Null: there is none.' }),
  })
  .meta({ id: 'AuditPage' });
