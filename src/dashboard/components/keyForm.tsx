/**
 * The fields of the forms that create and change an API key (docs/specification.md#restricted-keys).
 */
import { z } from 'zod';
import { KEY_PERMISSIONS, type KeyPermission } from '../../domain/rights.ts';
import type { KeyLimits } from '../../domain/tenants.ts';
import { isRaisedByUpgrade, TIERS, type Tier, type TierTable } from '../../domain/tiers.ts';
import { TENANTS } from '../viewer.ts';
import { number } from '../words/numbers.ts';

/** A form as it is sent. The forms of the default key, and of older pages, have no limits. */
export const KeyForm = z.object({
  label: z.string().default(''),
  permission: z.string().optional(),
  prefix: z.string().optional(),
  /** Days until it ends; '' it does not end; `other`: at `expiresAt` */
  ends: z.enum(['', '30', '90', '365', 'other']).optional(),
  /** In UTC. */
  expiresAt: z.string().default(''),
  /** The same, by the script of the pages, which takes `expiresAt` for a time of the browser's zone. */
  expiresAtExact: z.string().default(''),
});

const DAY_MS = 86_400_000;
/** The ends that the form offers: days, and what they are called. */
const ENDS: readonly (readonly [string, string])[] = [
  ['', 'Never'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
];

export type TypedKey = z.output<typeof KeyForm>;

const BLANK: TypedKey = KeyForm.parse({});

/** The permissions of a key, in words. */
export const MAY: Readonly<Record<KeyPermission, string>> = {
  full: 'everything',
  reserve: 'reserve',
  read: 'read',
};

/** The key that a form describes, not checked yet. Takes the key that it changes: an unedited end is left out. */
export function asKey({ label, permission, prefix, ...end }: TypedKey, before?: KeyLimits): unknown {
  return { label: label === '' ? null : label, permission, prefix, ...endOf(end, before?.expiresAt ?? null) };
}

function endOf(
  { ends, expiresAt, expiresAtExact }: Pick<TypedKey, 'ends' | 'expiresAt' | 'expiresAtExact'>,
  before: Date | null,
): { readonly expiresAt?: string | null } {
  if (ends === undefined) return {};
  if (ends === '') return { expiresAt: null };
  if (ends !== 'other') return { expiresAt: new Date(Date.now() + Number(ends) * DAY_MS).toISOString() };
  const typed = expiresAtExact === '' ? `${expiresAt}:00.000Z` : expiresAtExact;
  return typed.slice(0, MINUTES) === inputText(before) ? {} : { expiresAt: typed };
}

/** The length of a time to the minute. */
const MINUTES = '2026-01-31T12:00'.length;

/** A time as its field has it: to the minute, in UTC. */
const inputText = (at: Date | null): string => at?.toISOString().slice(0, MINUTES) ?? '';

/** Returns the fields of the form that changes a key. */
export const typedOf = ({ label, permission, prefix, expiresAt }: KeyLimits & { label: string | null }): TypedKey => ({
  label: label ?? '',
  permission,
  prefix,
  ends: expiresAt === null ? '' : 'other',
  expiresAt: inputText(expiresAt),
  expiresAtExact: expiresAt?.toISOString() ?? '',
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
        <EndFields typed={typed} />
      </>
    )}
  </>
);

const EndFields = ({ typed: { ends = '', expiresAt, expiresAtExact } = BLANK }: { typed?: TypedKey | undefined }) => (
  <fieldset class="pick">
    <legend>Ends</legend>
    {ENDS.map(([value, text]) => (
      <label>
        <input type="radio" name="ends" value={value} checked={value === ends} /> <span>{text}</span>
      </label>
    ))}
    <label>
      <input type="radio" name="ends" value="other" checked={ends === 'other'} /> <span>Other…</span>
    </label>
    <div class="other">
      <label>
        <span>
          Ends at (<span data-zone>UTC</span>)
        </span>
        <input
          type="datetime-local"
          name="expiresAt"
          value={expiresAt}
          data-exact="expiresAtExact"
          data-at={expiresAtExact}
        />
        <input type="hidden" name="expiresAtExact" value={expiresAtExact} />
      </label>
    </div>
  </fieldset>
);

const DESCRIBED: Readonly<Record<KeyPermission, string>> = {
  full: 'do everything: reserve, register, reset',
  reserve: 'reserve and release',
  read: 'only read',
};

/**
 * Says that the tier of a tenant allows no more API keys, and what to do. It stands in place of the form, which could
 * only fail.
 */
interface NoMoreKeysProps {
  readonly tenant: string;
  /** True if the person may give the tenant another tier. */
  readonly isAdmin: boolean;
  readonly tier: Tier;
  readonly tiers: TierTable;
}

export const NoMoreKeys = ({ tenant, isAdmin, tier, tiers }: NoMoreKeysProps) => {
  const keys = tiers[tier].apiKeys ?? 0;
  const wish = keys === 1 ? 'For one that may do less, or ends by itself,' : 'For another one,';
  const above = TIERS.slice(TIERS.indexOf(tier) + 1)
    .map((one) => `${one} allows ${tiers[one].apiKeys === null ? 'any number' : number(tiers[one].apiKeys)}`)
    .join(', ');
  return (
    <section class="notice" aria-labelledby="no-more-keys">
      <h2 id="no-more-keys">No more keys</h2>
      <p>
        {keys === 1
          ? `Tier ${tier} allows one key, and the default key is that one: it can do everything.`
          : `Tier ${tier} allows ${number(keys)} keys. Delete one that nobody uses any more.`}
        {isRaisedByUpgrade(tiers, tier, 'apiKeys') &&
          (isAdmin ? (
            <>
              {' '}
              {wish} <a href={`${TENANTS}/${tenant}`}>give the tenant a higher tier</a>: {above}.
            </>
          ) : (
            ` ${wish} ask those who run this service for a higher tier: ${above}.`
          ))}
      </p>
    </section>
  );
};
