/**
 * The field of a form that asks what is wrong with something.
 */
import { MAX_NOTE_LENGTH } from '../../domain/maxSizes.ts';
import type { Failed } from '../form.ts';
import { Fault, faultOf } from './formPage.tsx';

export const ReasonField = ({ value = '', failed }: { value: string | undefined; failed: Failed | undefined }) => (
  <label>
    What is wrong
    <input
      name="reason"
      required
      autofocus
      value={value}
      maxlength={MAX_NOTE_LENGTH}
      placeholder="display dark, ticket 88"
      autocomplete="off"
      {...faultOf({ of: 'reason', failed })}
    />
    <Fault of="reason" failed={failed} />
  </label>
);
