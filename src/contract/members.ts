/** The members of a tenant, invitations, and the roles of groups (docs/specification.md#members). */
import { z } from 'zod';
import { ROLES } from '../domain/rights.ts';
import { item, must, name, pageLimit, tenantId, time } from './fields.ts';

const MAX_GROUP_LENGTH = 256;
const MAX_EXPIRY_DAYS = 30;
const DEFAULT_EXPIRY_DAYS = 14;

const role = z
  .enum(ROLES, { error: must(`one of ${ROLES.join(', ')}`) })
  .meta({ description: 'What the person may do.', example: 'operator' });
const id = z.uuid('must be a UUID').meta({ description: 'The id of the member or the invitation.' });
const next = z.string().nullable().meta({ description: 'The `after` of the next page. Null: this is the last one.' });

export const MemberParams = z.object({ id });

/** For lists by id. */
export const PageQuery = z.object({
  after: id.optional().meta({ description: 'The `next` of the previous page.' }),
  limit: pageLimit,
});

export const Member = z
  .object({
    id: z.string().meta({ description: 'Names the member in other calls.' }),
    email: z.string().nullable().meta({ description: 'Null: the identity provider has not verified one.' }),
    name: z.string().nullable().meta({ description: 'The name of the person. Null: the identity provider has none.' }),
    subject: z.string().meta({ description: 'The identity provider’s name for the person.' }),
    role,
    givenRole: role.nullable().meta({ description: 'The role that an owner gave. Null: only groups give one.' }),
    groupRole: role.nullable().meta({ description: 'The role that groups gave at the last sign-in. Null: none does.' }),
    createdAt: time.meta({ description: 'When the person joined.' }),
    signedInAt: time.meta({ description: 'The last sign-in.' }),
  })
  .meta({ id: 'Member' });
export const Members = z
  .object({ members: z.array(Member).meta({ description: 'Sorted by id.' }), next })
  .meta({ id: 'Members' });
export const RoleChange = item({ role }).meta({ id: 'RoleChange' });
export const RemovedMember = z
  .object({ removed: z.string().meta({ description: 'The id of the member.' }) })
  .meta({ id: 'RemovedMember' });

const daysRule = `must be an integer from 1 to ${MAX_EXPIRY_DAYS}`;

/** Without an address, the invitation is a link. */
export const NewInvitation = item({
  id: id.optional().meta({ description: 'Of your choice. A repeat with the same id and content makes no second one.' }),
  email: z
    .email('must be an e-mail address')
    .max(320, 'must have at most 320 characters')
    .optional()
    .meta({ description: 'Without it the invitation is a link, which several people may use.' }),
  role,
  expiresInDays: z
    .int(daysRule)
    .min(1, daysRule)
    .max(MAX_EXPIRY_DAYS, daysRule)
    .default(DEFAULT_EXPIRY_DAYS)
    .meta({ description: 'How long the invitation can be accepted.' }),
})
  .refine(({ email, role: given }) => email !== undefined || given !== 'owner', {
    path: ['role'],
    message: 'must not be owner: a link gives any other role',
  })
  .meta({ id: 'InvitationToMake' });
export type NewInvitation = z.output<typeof NewInvitation>;

const invitation = {
  id: z.string().meta({ description: 'Names the invitation in other calls.' }),
  email: z.string().nullable().meta({ description: 'Null: by a link.' }),
  role,
  createdBy: z
    .string()
    .meta({ description: 'Who invited, as in the audit trail.', example: 'person:alice@example.com' }),
  createdAt: time.meta({ description: 'When it was made.' }),
  expiresAt: time.meta({ description: 'It can be accepted until then.' }),
};
export const Invitation = z.object(invitation).meta({ id: 'Invitation' });
export const Invitations = z
  .object({ invitations: z.array(Invitation).meta({ description: 'Sorted by id.' }), next })
  .meta({ id: 'Invitations' });

/** The only response with the link. */
export const InvitationWithLink = z
  .object({
    ...invitation,
    link: z.string().nullable().meta({ description: 'Shown this once. Null: it is by address, or existed already.' }),
  })
  .meta({ id: 'NewInvitation' });
export const DeletedInvitation = z
  .object({ deleted: z.string().meta({ description: 'The id of the invitation.' }) })
  .meta({ id: 'DeletedInvitation' });

const group = name(MAX_GROUP_LENGTH).meta({ description: 'The name of the group at the identity provider.' });
export const GroupParams = z.object({ group });
export const GroupsQuery = z.object({
  after: group.optional().meta({ description: 'The `next` of the previous page.' }),
  limit: pageLimit,
});
export const GroupRole = z
  .object({
    group: z.string().meta({ description: 'The name of the group at the identity provider.' }),
    role,
    createdAt: time.meta({ description: 'When it first got a role.' }),
  })
  .meta({ id: 'GroupRole' });
export const Groups = z
  .object({ groups: z.array(GroupRole).meta({ description: 'Sorted by name.' }), next })
  .meta({ id: 'Groups' });
export const DeletedGroup = z
  .object({ deleted: z.string().meta({ description: 'The name of the group.' }) })
  .meta({ id: 'DeletedGroup' });

export const DeleteTenantQuery = z.object({
  confirm: tenantId.meta({ description: 'The id of the tenant, so that no other one is deleted.' }),
});
export const DeletedTenant = z
  .object({ deleted: z.string().meta({ description: 'The id of the tenant.' }) })
  .meta({ id: 'DeletedTenant' });
