/**
 * The fields of the forms that create and change an API key (docs/specification.md#restricted-keys).
 */
import { z } from 'zod';
import { KEY_PERMISSIONS, type KeyPermission } from '../../domain/rights.ts';
import type { KeyLimits } from '../../domain/tenants.ts';

/** A form as it is sent. The forms of the default key, and of older pages, have no limits. */
export const KeyForm = z.object({
  label: z.string().default(''),
  permission: z.string().optional(),
  prefix: z.string().optional(),
  expiresAt: z.string().optional(),
});

/** The permissions of a key, in words. */
export const MAY: Readonly<Record<KeyPermission, string>> = {
  full: 'everything',
  reserve: 'reserve',
  read: 'read',
};

/** The key that a form describes, not checked yet. Takes the key that it changes: an unedited end is left out. */
export function asKey({ label, expiresAt, ...limits }: z.infer<typeof KeyForm>, before?: KeyLimits): unknown {
  const isEdited = expiresAt !== undefined && expiresAt !== inputText(before?.expiresAt ?? null);
  const end = expiresAt === '' ? null : `${expiresAt}:00Z`;
  return { label: label === '' ? null : label, ...limits, ...(isEdited ? { expiresAt: end } : {}) };
}

/** A time as its field has it: to the minute, in UTC. */
const inputText = (at: Date | null): string => at?.toISOString().slice(0, 16) ?? '';

/** @param of the key that is to be changed; undefined: a new one */
export const KeyFields = ({ of }: { of?: KeyLimits & { label: string | null; isDefault: boolean } }) => (
  <>
    <label>
      Label (optional) <input name="label" maxlength={64} value={of?.label ?? ''} autocomplete="off" />
    </label>
    <p class="hint">Every event that the key causes has its label: worker, staging, …</p>
    {!of?.isDefault && (
      <>
        <label>
          It may{' '}
          <select name="permission">
            {KEY_PERMISSIONS.toReversed().map((one) => (
              <option value={one} selected={one === of?.permission}>
                {DESCRIBED[one]}
              </option>
            ))}
          </select>
        </label>
        <label>
          Only names that start with (optional){' '}
          <input name="prefix" value={of?.prefix} placeholder="ci/" autocomplete="off" />
        </label>
        <p class="hint">The key reads everything, but reserves, releases and registers no other names.</p>
        <label>
          Ends at, UTC (optional){' '}
          <input type="datetime-local" name="expiresAt" value={inputText(of?.expiresAt ?? null)} />
        </label>
      </>
    )}
  </>
);

const DESCRIBED: Readonly<Record<KeyPermission, string>> = {
  full: 'do everything: reserve, register, reset',
  reserve: 'reserve and release',
  read: 'only read',
};
