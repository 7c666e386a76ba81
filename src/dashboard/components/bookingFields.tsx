/**
 * The fields of forms that book: the times, which a script reads in the browser's zone (without it, they are UTC), and
 * how the booking is repeated.
 */
import { MAX_NOTE_LENGTH } from '../../domain/maxSizes.ts';
import type { BookForm, TimeForm } from '../bookings/form.ts';
import type { Offer } from '../bookings/offer.ts';
import type { Failed } from '../form.ts';
import type { Colleague } from '../people.ts';
import { listText, pathText } from '../words/labels.ts';
import { number } from '../words/numbers.ts';
import { Fault, faultOf } from './formPage.tsx';

interface FieldsProps<Form> {
  readonly typed: Form;
  readonly failed: Failed | undefined;
}

interface TextFieldProps {
  readonly name: string;
  /** The field of the request that its faults are of. Left out: the name. */
  readonly of?: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly maxLength: number;
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly autofocus?: boolean;
  /** The id of a list of suggestions. */
  readonly list?: string;
  readonly failed: Failed | undefined;
}

const TextField = ({ name, of = name, label, value, maxLength, isRequired, failed, ...rest }: TextFieldProps) => (
  <label>
    {label}
    <input
      name={name}
      value={value ?? ''}
      maxlength={maxLength}
      required={isRequired}
      autocomplete="off"
      {...rest}
      {...faultOf({ of, failed })}
    />
    <Fault of={of} failed={failed} />
  </label>
);

interface WantedFieldsProps extends FieldsProps<Pick<BookForm, 'name' | 'match' | 'group'>> {
  /** The paths of groups that have something to book. */
  readonly groups: readonly string[];
  /** True if the focus begins here. */
  readonly isFirst: boolean;
}

/** The resource to book, by its name or by its labels. */
export const WantedFields = ({ typed, groups, isFirst, failed }: WantedFieldsProps) => (
  <>
    <TextField
      name="name"
      of="resource"
      label="Name of what you need"
      value={typed.name}
      maxLength={256}
      autofocus={isFirst}
      failed={failed}
    />
    <TextField
      name="match"
      label="Or any with these labels"
      value={typed.match}
      maxLength={1000}
      placeholder="android, berlin"
      failed={failed}
    />
    {(groups.length > 1 || typed.group !== '') && (
      <label>
        In
        <select name="group">
          <option value="">any group</option>
          {groups.map((group) => (
            <option value={group} selected={group === typed.group}>
              {pathText(group)}
            </option>
          ))}
        </select>
      </label>
    )}
  </>
);

/** Names that a sentence lists. */
const MAX_NAMES = 6;

interface OfferFieldsProps {
  readonly offer: Offer;
  /** When it begins, in ms since 1970 UTC. */
  readonly startMs: number;
}

/** Which resource is booked, of those that fit: one may choose another that is free then. */
export const OfferFields = ({ offer: { names, choices }, startMs }: OfferFieldsProps) => {
  const [only = ''] = names.length === 1 ? names : [];
  const free = choices.filter((one) => one.startMs === startMs || one.name === only);
  const taken = choices.filter((one) => !free.includes(one)).map(({ name }) => name);
  return (
    <fieldset class="notice" id="offer">
      <legend class="out-of-sight">Which one</legend>
      <p>
        You get <strong>{listed(names)}</strong>
        {free.length > 1 ? ', or choose another that is free then:' : '. Nothing else that fits is free then.'}
      </p>
      {free.length > 1 && (
        <>
          {only === '' && <PickField name="" text="As said" isChosen />}
          {free.map(({ name, group, isOut }) => (
            <PickField name={name} text={name} group={group} isOut={isOut} isChosen={name === only} />
          ))}
        </>
      )}
      {taken.length > 0 && <p class="meta">{`Taken then: ${listed(taken)}.`}</p>}
    </fieldset>
  );
};

interface PickFieldProps {
  readonly name: string;
  readonly text: string;
  readonly group?: string;
  readonly isOut?: boolean;
  readonly isChosen: boolean;
}

const PickField = ({ name, text, group = '', isOut = false, isChosen }: PickFieldProps) => (
  <label class="check">
    <input type="radio" name="pick" value={name} checked={isChosen} /> {text}
    {group !== '' && <span class="meta"> {pathText(group)}</span>}
    {isOut && <span class="meta"> out of service now</span>}
  </label>
);

/** Lists names, as far as a sentence has room. */
function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  const all = more > 0 ? [...names.slice(0, MAX_NAMES), `${number(more)} more`] : names;
  return listText(all);
}

interface RequesterFieldProps extends FieldsProps<Pick<BookForm, 'requester'>> {
  readonly people: readonly Colleague[];
}

/** Whose the booking is, for those who may book for others. */
export const RequesterField = ({ typed, failed, people }: RequesterFieldProps) => (
  <>
    <TextField
      name="requester"
      label="Whose it is"
      value={typed.requester}
      maxLength={256}
      placeholder="yours, or a colleague’s e-mail address"
      list="people"
      failed={failed}
    />
    <datalist id="people">
      {people.map(({ email, name }) => (
        <option value={email}>{name}</option>
      ))}
    </datalist>
  </>
);

interface TimeFieldsProps extends FieldsProps<TimeForm> {
  /** True if the focus begins elsewhere. */
  readonly isAside?: boolean;
}

/** The start and the end. */
export const TimeFields = ({ typed, failed, isAside = false }: TimeFieldsProps) => (
  <>
    <TimeField
      name="start"
      label="From"
      value={typed.start}
      exact={typed.startExact}
      isFirst={!isAside}
      failed={failed}
    />
    <TimeField name="end" label="To" value={typed.end} exact={typed.endExact} isFirst={false} failed={failed} />
  </>
);

interface TimeFieldProps {
  readonly name: 'start' | 'end';
  readonly label: string;
  readonly value: string | undefined;
  readonly exact: string | undefined;
  /** True if the focus begins here. */
  readonly isFirst: boolean;
  readonly failed: Failed | undefined;
}

const TimeField = ({ name, label, value, exact, isFirst, failed }: TimeFieldProps) => (
  <label>
    <span>
      {label} (<span data-zone>UTC</span>)
    </span>
    <input
      type="datetime-local"
      name={name}
      required
      value={value ?? ''}
      data-exact={`${name}Exact`}
      data-at={exact}
      autofocus={isFirst}
      {...faultOf({ of: name, failed })}
    />
    <input type="hidden" name={`${name}Exact`} />
    <Fault of={name} failed={failed} />
  </label>
);

interface NoteFieldProps extends FieldsProps<{ readonly note?: string | undefined }> {
  readonly isRequired: boolean;
}

export const NoteField = ({ typed, failed, isRequired }: NoteFieldProps) => (
  <TextField
    name="note"
    label={isRequired ? 'What for (required)' : 'What for'}
    value={typed.note}
    maxLength={MAX_NOTE_LENGTH}
    placeholder="demo, a link, a ticket"
    isRequired={isRequired}
    failed={failed}
  />
);

const CLAIMS = [
  ['', 'No: it stays mine until its end'],
  ['900', 'Within 15 min of its begin, or it ends'],
  ['1800', 'Within 30 min of its begin, or it ends'],
  ['3600', 'Within 1 h of its begin, or it ends'],
] as const;

/** How long it is kept for somebody who does not come. */
export const ClaimField = ({ typed, failed }: FieldsProps<Pick<BookForm, 'claim'>>) => (
  <label>
    Must “I am here” be pressed at Mine
    <select name="claim" {...faultOf({ of: 'claimWithinSeconds', failed })}>
      {CLAIMS.map(([value, text]) => (
        <option value={value} selected={value === (typed.claim ?? '')}>
          {text}
        </option>
      ))}
    </select>
    <Fault of="claimWithinSeconds" failed={failed} />
  </label>
);

const DAYS = [
  ['mon', 'Mon'],
  ['tue', 'Tue'],
  ['wed', 'Wed'],
  ['thu', 'Thu'],
  ['fri', 'Fri'],
  ['sat', 'Sat'],
  ['sun', 'Sun'],
] as const;

/** How it is repeated, folded unless it is. */
export const RepeatFields = ({ typed, failed }: FieldsProps<BookForm>) => (
  <details id="repeat" open={typed.every !== '' || failed?.field === 'repeat'}>
    <summary>Repeat</summary>
    <label>
      How often
      <select name="every">
        <option value="">Once</option>
        <option value="day" selected={typed.every === 'day'}>
          Every day
        </option>
        <option value="week" selected={typed.every === 'week'}>
          Every week
        </option>
      </select>
    </label>
    <fieldset class="days">
      <legend>On other days than that of the start</legend>
      {DAYS.map(([value, text]) => (
        <label class="check">
          <input type="checkbox" name="on" value={value} checked={typed.on?.includes(value)} /> {text}
        </label>
      ))}
    </fieldset>
    <label>
      Last day
      <input type="date" name="until" value={typed.until ?? ''} {...faultOf({ of: 'repeat', failed })} />
      <Fault of="repeat" failed={failed} />
    </label>
    <label class="check">
      <input type="checkbox" name="skip" value="true" checked={typed.skip !== undefined} /> Leave out the times that are
      taken
    </label>
  </details>
);
