/** The management tokens of a tenant (docs/specification.md#management-tokens). */
import { z } from 'zod';
import { SCOPES } from '../domain/rights.ts';
import { MAX_LABEL_LENGTH } from '../domain/tenants.ts';
import { futureTime, item, must, name, pageLimit, time } from './fields.ts';

const MAX_LIFETIME_DAYS = 366;

const expiresAt = futureTime(MAX_LIFETIME_DAYS).meta({
  type: 'string',
  format: 'date-time',
  description: 'When it ends: within a year.',
});

const scopesRule = `an array of one or more of ${SCOPES.join(', ')}`;
const scope = z.enum(SCOPES, `must be one of ${SCOPES.join(', ')}`);

export const NewManagementToken = item({
  id: z
    .uuid({ error: must('a UUID') })
    .optional()
    .meta({ description: 'An id of your choice: repeating the call with it makes no second token.' }),
  label: name(MAX_LABEL_LENGTH).meta({
    description: 'Names the token in the audit trail, as `token:<label>`.',
    example: 'terraform',
  }),
  scopes: z
    .array(scope, { error: must(scopesRule) })
    .min(1, `must be ${scopesRule}`)
    .transform((asked) => SCOPES.filter((one) => asked.includes(one)))
    .meta({ description: 'What it may do.', example: ['keys', 'settings'] }),
  expiresAt,
}).meta({ id: 'ManagementTokenToMake' });

const token = {
  id: z.uuid().meta({ description: 'Names the token in other calls.' }),
  label: z.string().meta({ description: 'Names the token in the audit trail.' }),
  scopes: z.array(z.enum(SCOPES)).meta({ description: 'What it may do.' }),
  createdBy: z.string().meta({ description: 'Who made it, as in the audit trail.', example: 'person:me@example.com' }),
  createdAt: time.meta({ description: 'When it was made.' }),
  expiresAt: time.meta({ description: 'When it ends.' }),
};
export const ManagementToken = z.object(token).meta({ id: 'ManagementToken' });

/** A token right after it was made: the only response with its value. */
export const ManagementTokenWithValue = z
  .object({ ...token, token: z.string().meta({ description: 'The value of the token. It is not kept.' }) })
  .meta({ id: 'NewManagementToken' });

export const ManagementTokens = z
  .object({
    tokens: z.array(ManagementToken).meta({ description: 'Sorted by id.' }),
    next: z.uuid().nullable().meta({ description: 'The `after` of the next page. Null: this is the last one.' }),
  })
  .meta({ id: 'ManagementTokens' });

const id = z.uuid('must be the id of a management token').meta({ description: 'The id of the token.' });
export const ManagementTokenParams = z.object({ id });
export const ManagementTokensQuery = z.object({
  after: id.optional().meta({ description: 'The `next` of the previous page.' }),
  limit: pageLimit,
});
export const DeletedManagementToken = z
  .object({ deleted: z.uuid().meta({ description: 'The id of the token.' }) })
  .meta({ id: 'DeletedManagementToken' });
