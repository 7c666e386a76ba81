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

export type TypedKey = z.output<typeof KeyForm>;

/** The permissions of a key, in words. */
export const MAY: Readonly<Record<KeyPermission, string>> = {
  full: 'everything',
  reserve: 'reserve',
  read: 'read',
};

/** The key that a form describes, not checked yet. Takes the key that it changes: an unedited end is left out. */
export function asKey({ label, expiresAt, ...limits }: TypedKey, before?: KeyLimits): unknown {
  const isEdited = expiresAt !== undefined && expiresAt !== inputText(before?.expiresAt ?? null);
  const end = expiresAt === '' ? null : `${expiresAt}:00Z`;
  return { label: label === '' ? null : label, ...limits, ...(isEdited ? { expiresAt: end } : {}) };
}

/** A time as its field has it: to the minute, in UTC. */
const inputText = (at: Date | null): string => at?.toISOString().slice(0, 16) ?? '';

/** Returns the fields of the form that changes a key. */
export const typedOf = ({ label, permission, prefix, expiresAt }: KeyLimits & { label: string | null }): TypedKey => ({
  label: label ?? '',
  permission,
  prefix,
  expiresAt: inputText(expiresAt),
});

/** @param props.typed the values of the fields @param props.hasLimits false for the default key, which has no limits */
export const KeyFields = ({ typed, hasLimits }: { typed: TypedKey | undefined; hasLimits: boolean }) => (
  <>
    <label>
      Label (optional) <input name="label" maxlength={64} value={typed?.label} autocomplete="off" />
    </label>
    <p class="hint">Every event that the key causes has its label: worker, staging, …</p>
    {hasLimits && (
      <>
        <label>
          It may{' '}
          <select name="permission">
            {KEY_PERMISSIONS.toReversed().map((one) => (
              <option value={one} selected={one === typed?.permission}>
                {DESCRIBED[one]}
              </option>
            ))}
          </select>
        </label>
        <label>
          Only names that start with (optional){' '}
          <input name="prefix" value={typed?.prefix} placeholder="ci/" autocomplete="off" />
        </label>
        <p class="hint">The key reads everything, but reserves, releases and registers no other names.</p>
        <label>
          Ends at, UTC (optional) <input type="datetime-local" name="expiresAt" value={typed?.expiresAt} />
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
