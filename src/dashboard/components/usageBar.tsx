/**
 * Usage of a limit, as a bar and in words.
 */
import { number } from '../words/numbers.ts';
import { Share } from './holderTable.tsx';

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
    {limit !== null && <Share share={used / Math.max(1, limit)} isMuch={used >= limit * 0.8} />}
  </div>
);
