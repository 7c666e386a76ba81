/** Fields of the forms that reserve, and that say what is wrong with something. */
import { MAX_NOTE_LENGTH, type Sizes } from '../../domain/maxSizes.ts';
import type { Failed } from '../form.ts';
import { Fault, faultOf } from './formPage.tsx';

interface SeveralFieldsProps {
  /** What was typed. */
  readonly typed: {
    readonly count?: string | undefined;
    readonly mode?: string | undefined;
    readonly condition?: string | undefined;
  };
  readonly sizes: Pick<Sizes, 'batch'>;
  readonly failed: Failed | undefined;
  /** True if the person may reserve what is out of service. */
  readonly mayRepair: boolean;
}

export const SeveralFields = ({ typed, sizes, failed, mayRepair }: SeveralFieldsProps) => {
  const { count = '1', mode, condition = '' } = typed;
  const isOpen =
    failed?.field === 'count' ||
    failed?.field === 'condition' ||
    mode !== undefined ||
    count !== '1' ||
    condition !== '';
  return (
    <details id="further" open={isOpen}>
      <summary>Several, shared, or to clean</summary>
      <label>
        How many, of a pool
        <input
          type="number"
          name="count"
          min={1}
          max={sizes.batch}
          value={count}
          {...faultOf({ of: 'count', failed })}
        />
        <Fault of="count" failed={failed} />
      </label>
      <label class="check">
        <input type="checkbox" name="mode" value="SHARED" checked={mode === 'SHARED'} /> Share it with others who share
        it
      </label>
      <label>
        What you do with it
        <select name="condition" {...faultOf({ of: 'condition', failed })}>
          <option value="">To use it: it is ready</option>
          <option value="dirty" selected={condition === 'dirty'}>
            To clean it: it is dirty
          </option>
          {(mayRepair || condition === 'out') && (
            <option value="out" selected={condition === 'out'}>
              To repair it: it is out of service
            </option>
          )}
        </select>
        <Fault of="condition" failed={failed} />
      </label>
    </details>
  );
};

/**
 * The field of a form that asks what is wrong with something.
 */
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
