/**
 * Asks how long a person needs something: a length, or a date and time. The script of the pages reads the time in the
 * browser's zone; without it, it is UTC.
 */
import type { Terms } from '../../domain/tenants.ts';
import { type LeaseForm, leaseChoices, NO_END, suggestedLease } from '../actions/lease.ts';

export interface LeaseFieldsProps {
  readonly terms: Terms;
  /** What the person has chosen already. */
  readonly typed: LeaseForm;
  /** Whether it may have no end, if the tenant allows that. */
  readonly mayLast: boolean;
  /** The first choice, which is suggested: its value and its text. */
  readonly first?: readonly [string, string] | null;
}

export const LeaseFields = ({ terms, typed, mayLast, first = null }: LeaseFieldsProps) => {
  const chosen = typed.lease ?? first?.[0] ?? String(suggestedLease(terms));
  return (
    <>
      <label>
        How long
        <select name="lease">
          {first !== null && (
            <option value={first[0]} selected={chosen === first[0]}>
              {first[1]}
            </option>
          )}
          {leaseChoices(terms).map(([seconds, text]) => (
            <option value={seconds} selected={chosen === String(seconds)}>
              {text}
            </option>
          ))}
          {mayLast && terms.maxTtlSeconds === null && (
            <option value={NO_END} selected={chosen === NO_END}>
              no end
            </option>
          )}
        </select>
      </label>
      <label>
        <span>
          or until (<span data-zone>UTC</span>)
        </span>
        <input type="datetime-local" name="until" value={typed.until ?? ''} data-exact="untilExact" />
        <input type="hidden" name="untilExact" value={typed.untilExact ?? ''} />
      </label>
    </>
  );
};
