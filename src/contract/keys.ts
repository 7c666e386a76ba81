/** The API keys of a tenant (docs/specification.md#identity). */
import { z } from 'zod';
import { MAX_LABEL_LENGTH } from '../domain/tenants.ts';
import { item, name, time } from './fields.ts';

const keyLabel = name(MAX_LABEL_LENGTH).meta({
  description: 'Shown as `apiKeyLabel` in the events that requests with this key cause.',
  example: 'worker',
});

export const NewKey = item({ label: keyLabel.nullish() }).meta({ id: 'KeyToMake' });

const key = {
  id: z.uuid(),
  label: z.string().nullable(),
  isDefault: z.boolean(),
  createdAt: time,
  rotatedAt: time.nullable(),
};
export const Key = z.object(key).meta({ id: 'Key' });

/** A key right after it was made or rotated: the only response with its value. */
export const KeyWithValue = z
  .object({ ...key, key: z.string().meta({ description: 'The value of the key.' }) })
  .meta({ id: 'NewKey' });

export const KeyParams = z.object({ id: z.uuid('must be the id of a key') });
export const DeletedKey = z.object({ deleted: z.uuid() }).meta({ id: 'DeletedKey' });
