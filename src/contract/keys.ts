/** The API keys of a tenant (docs/specification.md#identity, #restricted-keys). */
import { z } from 'zod';
import { KEY_PERMISSIONS } from '../domain/rights.ts';
import { MAX_LABEL_LENGTH, prefixFault } from '../domain/tenants.ts';
import { byRule, futureTime, item, must, name, pageLimit, time } from './fields.ts';

/** Ten years. */
const MAX_LIFETIME_DAYS = 3653;

const label = name(MAX_LABEL_LENGTH).nullable().meta({
  description: 'Shown as `apiKeyLabel` in the events that requests with this key cause.',
  example: 'worker',
});

const permissionRule = `must be one of ${KEY_PERMISSIONS.join(', ')}`;
const permission = z.enum(KEY_PERMISSIONS, permissionRule).meta({
  description: '`reserve`: no registering and no reset. `read`: neither of these, and no reserving.',
});

export const prefix = z
  .string({ error: must('a string') })
  .refine(...byRule((text) => (text === '' ? null : prefixFault(text))))
  .meta({ description: 'It may only change names that start with this. Empty: any name.', example: 'ci/' });

const expiresAt = futureTime(MAX_LIFETIME_DAYS)
  .nullable()
  .meta({
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When the key ends: within ten years. Null: it does not.',
  });

export const NewKey = item({
  id: z
    .uuid({ error: must('a UUID') })
    .optional()
    .meta({ description: 'An id of your choice: repeating the call with it makes no second key.' }),
  label: label.default(null),
  permission: permission.default('full'),
  prefix: prefix.default(''),
  expiresAt: expiresAt.default(null),
}).meta({ id: 'KeyToMake' });
export type NewKey = z.output<typeof NewKey>;

/** Fields that are left out stay as they are. */
export const KeyChange = item({
  label: label.optional(),
  permission: permission.optional(),
  prefix: prefix.optional(),
  expiresAt: expiresAt.optional(),
}).meta({ id: 'KeyChange' });
export type KeyChange = z.output<typeof KeyChange>;

const key = {
  id: z.uuid().meta({ description: 'Names the key in other calls.' }),
  label: z.string().nullable().meta({ description: 'Shown as `apiKeyLabel` in events and lists.' }),
  isDefault: z.boolean().meta({ description: 'True for the key that the tenant began with.' }),
  permission: z.enum(KEY_PERMISSIONS).meta({ description: 'What the key may do.' }),
  prefix: z.string().meta({ description: 'It may only change names that start with this. Empty: any name.' }),
  expiresAt: time.nullable().meta({ description: 'Null: it does not end.' }),
  createdAt: time.meta({ description: 'When the key was made.' }),
  rotatedAt: time.nullable().meta({ description: 'When it last got a new value. Null: never.' }),
  usedAt: time.nullable().meta({ description: 'To a few seconds. Null: not used with its present value.' }),
};
export const Key = z.object(key).meta({ id: 'Key' });

/** A key with its value, which only the calls that make and rotate it return. */
export const KeyWithValue = z
  .object({ ...key, key: z.string().meta({ description: 'The value of the key.' }) })
  .meta({ id: 'NewKey' });

const id = z.uuid('must be the id of a key').meta({ description: 'The id of the key.' });
export const KeyParams = z.object({ id });
export const KeysQuery = z.object({
  after: id.optional().meta({ description: 'The last id of the previous page.' }),
  limit: pageLimit.optional(),
});
export const DeletedKey = z
  .object({ deleted: z.uuid().meta({ description: 'The id of the key.' }) })
  .meta({ id: 'DeletedKey' });
