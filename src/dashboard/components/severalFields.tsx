/**
 * The further fields of the form that reserves, folded: how many slots, whether others may share them, and what for.
 */
import type { Sizes } from '../../domain/maxSizes.ts';
import type { Failed } from '../form.ts';
import { Fault, faultOf } from './formPage.tsx';

export interface SeveralFieldsProps {
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
