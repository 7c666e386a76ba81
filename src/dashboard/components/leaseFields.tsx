/**
 * Asks how long a person needs something: six times to tap. The last one opens a field for a date and time. The script
 * of the pages reads it in the browser's zone; without it, it is UTC.
 */
import { suggestedLease, type Terms } from '../../domain/tenants.ts';
import {
  choiceUntil,
  isSameEnd,
  type LeaseChoice,
  type LeaseForm,
  leaseChoices,
  NO_END,
  OTHER,
} from '../actions/lease.ts';
import type { Failed } from '../form.ts';
import { Fault, faultOf } from './formPage.tsx';
import { Clock } from './when.tsx';

export interface LeaseFieldsProps {
  readonly terms: Terms;
  /** The choice that the person has made already. */
  readonly typed: LeaseForm;
  readonly failed: Failed | undefined;
  /** Of the browser, in which times of the day are. */
  readonly zone: string;
  /** True if it may have no end, if the tenant allows that. */
  readonly mayLast: boolean;
  /** True if the time begins when the person's turn comes, so that only lengths can be chosen. */
  readonly isQueued?: boolean;
  /** The first choice, which is suggested: only later ones are offered besides. */
  readonly first?: LeaseChoice | null;
  /** When it must end, since it is booked from then on, in ms since 1970 UTC; null: it need not */
  readonly latestMs?: number | null;
}

/** Beside an end after which it is booked. */
const LATEST = 'latest';

type ChoicesProps = Pick<LeaseFieldsProps, 'terms' | 'typed' | 'zone' | 'isQueued' | 'first' | 'latestMs'>;

/** The choices that the fields offer, and the value of the one that is chosen. */
function choicesOf({ terms, typed, zone, isQueued = false, first = null, latestMs = null }: ChoicesProps) {
  const all = endingBy(latestMs, leaseChoices(terms, isQueued ? null : zone));
  const others = all.filter((one) => first === null || (one.endMs > first.endMs && !isSameEnd(one, first)));
  const choices = first === null ? all : [first, ...others.slice(0, 4)];
  const isOffered = choices.some(({ value }) => value === typed.lease);
  const isOther = typed.lease === OTHER || typed.lease === NO_END;
  const usual = String(suggestedLease(terms));
  const suggested = first?.value ?? all.find(({ value }) => value === usual)?.value ?? all.at(-1)?.value;
  return { choices, chosen: typed.lease !== undefined && (isOffered || isOther) ? typed.lease : suggested };
}

/** Ends that are too late become one, the latest, which no other choice repeats. */
function endingBy(latestMs: number | null, all: readonly LeaseChoice[]): readonly LeaseChoice[] {
  if (latestMs === null) return all;
  if (all.every(({ endMs }) => endMs < latestMs)) return all;
  return [...all.filter(({ endMs }) => endMs < latestMs), { ...choiceUntil(latestMs), length: LATEST }];
}

/** When the chosen time ends, for the button; null: the person types it */
export function chosenEnd(props: ChoicesProps): number | null {
  const { choices, chosen } = choicesOf(props);
  return choices.find(({ value }) => value === chosen)?.endMs ?? null;
}

export const LeaseFields = (props: LeaseFieldsProps) => {
  const { terms, typed, failed, mayLast, isQueued = false } = props;
  const { choices, chosen } = choicesOf(props);
  const picked = choices.find(({ value }) => value === chosen);
  // The field for another end starts with the suggested one.
  const before = picked && !typed.until ? new Date(picked.endMs).toISOString() : undefined;
  const latest = choices.find(({ length }) => length === LATEST);
  return (
    <>
      <fieldset class="pick">
        <legend>{isQueued ? 'How long' : 'Until'}</legend>
        {choices.map((choice) => (
          <label>
            <input type="radio" name="lease" value={choice.value} checked={choice.value === chosen} />{' '}
            <span>{isQueued ? choice.length : <Ending choice={choice} />}</span>
          </label>
        ))}
        <label>
          <input type="radio" name="lease" value={OTHER} checked={chosen === OTHER} /> <span>Other…</span>
        </label>
        <div class="other">
          <label>
            <span>
              Until (<span data-zone>UTC</span>)
            </span>
            <input
              type="datetime-local"
              name="until"
              value={typed.until ?? ''}
              data-exact="untilExact"
              data-at={typed.untilExact || before}
              {...faultOf({ of: 'ttlSeconds', failed })}
            />
            <input type="hidden" name="untilExact" value={typed.untilExact ?? ''} />
          </label>
          {mayLast && terms.maxTtlSeconds === null && (
            <label class="check">
              <input type="radio" name="lease" value={NO_END} checked={chosen === NO_END} /> No end
            </label>
          )}
        </div>
        <Fault of="ttlSeconds" failed={failed} />
      </fieldset>
      {latest && (
        <p class="meta">
          It is booked from <Clock at={latest.endMs} /> on.
        </p>
      )}
    </>
  );
};

const Ending = ({ choice: { endMs, length, day } }: { choice: LeaseChoice }) => (
  <>
    {day}
    <Clock at={endMs} />
    {length !== '' && ` · ${length.replaceAll(' ', '\u00a0')}`}
  </>
);
