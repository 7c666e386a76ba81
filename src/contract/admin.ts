/** What administrators see and change of all tenants (docs/specification.md#tenants-and-administration). */
import { z } from 'zod';
import { nameFault } from '../domain/names.ts';
import { TIERS } from '../domain/tiers.ts';
import { item, pageLimit, tenantId, time } from './fields.ts';
import { settings } from './tenant.ts';

const MAX_SEARCH_LENGTH = 100;

export const TenantParams = z.object({ id: tenantId });

export const TenantsQuery = z.object({
  search: z
    .string()
    .superRefine((text, context) => {
      const fault = nameFault(text, MAX_SEARCH_LENGTH);
      if (fault !== null) context.addIssue({ code: 'custom', message: fault });
    })
    .optional()
    .meta({ description: 'Part of an id or a name.', minLength: 1, maxLength: MAX_SEARCH_LENGTH }),
  after: tenantId.optional().meta({ description: 'The `next` of the previous page.' }),
  limit: pageLimit,
});

export const AdminTenant = z
  .object({
    id: z.string(),
    name: z.string(),
    tier: z.enum(TIERS),
    suspendedAt: time.nullable(),
    ...settings,
    createdAt: time,
  })
  .meta({ id: 'AdminTenant' });

export const AdminTenants = z
  .object({ tenants: z.array(AdminTenant), next: z.string().nullable() })
  .meta({ id: 'AdminTenants' });

export const TierChange = item({ tier: z.enum(TIERS, `must be one of ${TIERS.join(', ')}`) }).meta({
  id: 'TierChange',
});

export const AdminCleared = z.object({ cleared: z.int() }).meta({ id: 'AdminCleared' });
