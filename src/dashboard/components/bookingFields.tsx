/**
 * The fields of forms that book: the times, which a script reads in the browser's zone (without it, they are UTC), and
 * how the booking is repeated.
 */
import { MAX_NOTE_LENGTH } from '../../domain/maxSizes.ts';
import type { BookForm, TimeForm } from '../bookings/form.ts';
import type { Failed } from '../form.ts';
import { Fault, faultOf } from './formPage.tsx';

interface FieldsProps<Form> {
  readonly typed: Form;
  readonly failed: Failed | undefined;
}

/** What is booked: a name, or labels of any that fits. */
export const WantedFields = ({ typed, failed }: FieldsProps<Pick<BookForm, 'name' | 'match'>>) => (
  <>
    <label>
      Name of what you need
      <input
        name="name"
        value={typed.name}
        maxlength={256}
        autocomplete="off"
        {...faultOf({ of: 'resource', failed })}
      />
      <Fault of="resource" failed={failed} />
    </label>
    <label>
      Or any with these labels
      <input
        name="match"
        value={typed.match}
        maxlength={1000}
        autocomplete="off"
        placeholder="os=android, site=berlin"
        {...faultOf({ of: 'match', failed })}
      />
      <Fault of="match" failed={failed} />
    </label>
  </>
);

/** Whose the booking is, for those who may book for others. */
export const RequesterField = ({ typed, failed }: FieldsProps<Pick<BookForm, 'requester'>>) => (
  <label>
    Whose it is
    <input
      name="requester"
      value={typed.requester}
      maxlength={256}
      autocomplete="off"
      placeholder="yours, or a colleague’s e-mail address"
      {...faultOf({ of: 'requester', failed })}
    />
    <Fault of="requester" failed={failed} />
  </label>
);

/** The start and the end. */
export const TimeFields = ({ typed, failed }: FieldsProps<TimeForm>) => (
  <>
    <TimeField name="start" label="From" value={typed.start} exact={typed.startExact} failed={failed} />
    <TimeField name="end" label="To" value={typed.end} exact={typed.endExact} failed={failed} />
  </>
);

interface TimeFieldProps {
  readonly name: 'start' | 'end';
  readonly label: string;
  readonly value: string | undefined;
  readonly exact: string | undefined;
  readonly failed: Failed | undefined;
}

const TimeField = ({ name, label, value, exact, failed }: TimeFieldProps) => (
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
      autofocus={name === 'start'}
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
  <label>
    {isRequired ? 'What for (required)' : 'What for'}
    <input
      name="note"
      value={typed.note ?? ''}
      maxlength={MAX_NOTE_LENGTH}
      required={isRequired}
      placeholder="demo, a link, a ticket"
      autocomplete="off"
      {...faultOf({ of: 'note', failed })}
    />
    <Fault of="note" failed={failed} />
  </label>
);

const CLAIMS = [
  ['', 'It stays mine until its end'],
  ['900', '15 min'],
  ['1800', '30 min'],
  ['3600', '1 h'],
] as const;

/** How long it is kept for somebody who does not come. */
export const ClaimField = ({ typed, failed }: FieldsProps<Pick<BookForm, 'claim'>>) => (
  <label>
    If I do not press “I am here”, it ends after
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
