/**
 * Usage of a limit, as a bar and in words.
 */
import { number } from '../words/numbers.ts';
export interface UsageBarProps {
  readonly id: string;
  readonly label: string;
  readonly used: number;
  /** null: no limit */
  readonly limit: number | null;
}

export const UsageBar = ({ id, label, used, limit }: UsageBarProps) => (
  <div class="usage">
    <span id={id}>{label}</span>
    <span class="amount">{limit === null ? `${number(used)}, no limit` : `${number(used)} of ${number(limit)}`}</span>
    {limit !== null && (
      <meter aria-labelledby={id} min="0" max={limit} high={limit * 0.8} optimum={0} value={Math.min(used, limit)}>
        {`${used} of ${limit}`}
      </meter>
    )}
  </div>
);
