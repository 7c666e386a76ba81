/** Fields of the forms that reserve, and that say what is wrong with something. */
import { MAX_NOTE_LENGTH, type Sizes } from '../../domain/maxSizes.ts';
import type { Registered } from '../../engine/reservations/resource.ts';
import type { Failed } from '../form.ts';
import { Fault, faultOf } from './formPage.tsx';

interface SeveralFieldsProps {
  /** What was typed. */
  readonly typed: {
    readonly count?: string | undefined;
    readonly mode?: string | undefined;
    readonly condition?: string | undefined;
  };
  /** The definition of the resource; null: it has none; undefined: not known */
  readonly registered: Registered | null | undefined;
  readonly sizes: Pick<Sizes, 'batch'>;
  readonly failed: Failed | undefined;
  /** True if the person may reserve what is out of service. */
  readonly mayRepair: boolean;
}

/** The questions that few need: how many of a pool, shared or not, and what for, of what needs cleaning after use. */
export const SeveralFields = ({ typed, registered, sizes, failed, mayRepair }: SeveralFieldsProps) => {
  const { count = '1', mode, condition = '' } = typed;
  const isWrong = failed?.field === 'count' || failed?.field === 'condition';
  const isOpen = isWrong || mode !== undefined || count !== '1' || condition !== '';
  const isPool = count !== '1' || registered === undefined || (registered?.capacity ?? 0) > 1;
  const hasCondition = condition !== '' || registered?.afterUse === 'dirty';
  const options = [isPool && 'several slots', 'shared', hasCondition && 'to clean'].filter(Boolean);
  return (
    <details id="further" open={isOpen}>
      <summary>More options: {options.join(', ')}</summary>
      {isPool && (
        <label>
          How many of the pool
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
      )}
      <label class="check">
        <input type="checkbox" name="mode" value="SHARED" checked={mode === 'SHARED'} /> Share it with others who share
        it
      </label>
      {hasCondition && <ConditionField condition={condition} failed={failed} mayRepair={mayRepair} />}
    </details>
  );
};

interface ConditionFieldProps extends Pick<SeveralFieldsProps, 'failed' | 'mayRepair'> {
  readonly condition: string;
}

const ConditionField = ({ condition, failed, mayRepair }: ConditionFieldProps) => (
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
);

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
