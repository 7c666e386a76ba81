/** Tenants, as administrators see and change them (docs/specification.md#tenants-and-administration). */
import { z } from 'zod';
import { nameFault } from '../domain/names.ts';
import { TENANT_SORTS } from '../domain/tenants.ts';
import { TIERS } from '../domain/tiers.ts';
import { byRule, item, name, pageLimit, tenantId, time } from './fields.ts';
import { Settings } from './tenant.ts';

const MAX_SEARCH_LENGTH = 100;
const MAX_TENANT_NAME_LENGTH = 200;

const tier = z
  .enum(TIERS, `must be one of ${TIERS.join(', ')}`)
  .meta({ description: 'The tier, which decides the limits.' });

/** The id of a tenant, after the number that it was sorted by, if it was. */
const TENANT_CURSOR = /^(?:\d{1,16}:)?[a-z0-9-]{1,40}$/;

export const TenantParams = z.object({ id: tenantId.meta({ description: 'The id of the tenant.' }) });

export const TenantsQuery = z.object({
  search: z
    .string()
    .refine(...byRule((text) => nameFault(text, MAX_SEARCH_LENGTH)))
    .optional()
    .meta({ description: 'Part of an id or a name.', minLength: 1, maxLength: MAX_SEARCH_LENGTH }),
  sort: z
    .enum(TENANT_SORTS, `must be one of ${TENANT_SORTS.join(', ')}`)
    .default('id')
    .meta({ description: 'What to sort by. Requests and refusals are those of the last hour.' }),
  order: z
    .enum(['asc', 'desc'], 'must be asc or desc')
    .optional()
    .meta({ description: 'Default: asc for id, desc for all others.' }),
  after: z
    .string()
    .regex(TENANT_CURSOR, 'must be the `next` of a page')
    .optional()
    .meta({ description: 'The `next` of the previous page, which was sorted alike.' }),
  limit: pageLimit,
});

const TenantUse = z
  .object({
    reservations: z.int().meta({ description: 'Reservations in force.' }),
    definitions: z.int().meta({ description: 'Registered resources.' }),
    requests: z.int().meta({ description: 'Of the last hour.' }),
    refusals: z.int().meta({ description: 'Refused operations of the last hour.' }),
    lastActiveAt: time.nullable().meta({ description: 'The last request. Null: none is known.' }),
  })
  .meta({ id: 'TenantUse', description: 'What the tenant uses: some seconds old, a minute at most.' });

export const TenantToCreate = item({
  id: tenantId.meta({ description: '1 to 40 lower-case letters, digits and hyphens.', example: 'acme' }),
  name: name(MAX_TENANT_NAME_LENGTH).meta({ description: 'For people.', example: 'Acme Corp.' }),
  tier,
  owner: z
    .email('must be an e-mail address')
    .max(320, 'must have at most 320 characters')
    .optional()
    .meta({ description: 'The e-mail address of the first owner, who is invited for 14 days.', format: 'email' }),
}).meta({ id: 'TenantToCreate' });

export const AdminTenant = z
  .object({
    id: z.string().meta({ description: 'The id of the tenant.' }),
    name: z.string().meta({ description: 'The name of the tenant, for people.' }),
    tier,
    suspendedAt: time.nullable().meta({ description: 'When it was suspended. Null: it is not.' }),
    ...Settings.shape,
    createdAt: time.meta({ description: 'When it was created.' }),
    usage: TenantUse,
  })
  .meta({ id: 'AdminTenant' });

export const AdminTenants = z
  .object({
    tenants: z.array(AdminTenant).meta({ description: 'The tenants of the page.' }),
    next: z.string().nullable().meta({ description: 'The `after` of the next page. Null: this is the last one.' }),
  })
  .meta({ id: 'AdminTenants' });

export const TierChange = item({ tier }).meta({ id: 'TierChange' });

export const AdminCleared = z
  .object({ cleared: z.int().meta({ description: 'The number of reservations that ended.' }) })
  .meta({ id: 'AdminCleared' });
