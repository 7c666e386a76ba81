/** The state of a resource as a shape, and as a word with a shape. */
import { CONDITION_WORDS } from '../words/conditionWords.ts';

/**
 * A shape beside its word, so that screen readers skip it. A ring; full: held; dashed: not available; struck through:
 * out of service; half full: needs cleaning.
 */
export type DotShape = 'free' | 'busy' | 'mine' | 'shut' | 'group' | 'out' | 'dirty';

export const Dot = ({ of }: { of: DotShape }) => (
  <svg class={`dot ${of}`} viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">
    <circle cx="7" cy="7" r="5" />
    {of === 'out' && <path d="M3.5 10.5l7-7" />}
    {of === 'dirty' && <path d="M7 2a5 5 0 0 0 0 10z" />}
  </svg>
);

/** The word and the shape of a state. */
const MARKS = {
  free: ['Free', 'free'],
  held: ['In use', 'busy'],
  mine: ['Yours', 'mine'],
  shut: ['Not available', 'shut'],
  none: ['Group', 'group'],
  out: [CONDITION_WORDS.out, 'out'],
  dirty: [CONDITION_WORDS.dirty, 'dirty'],
} as const;
export type Mark = keyof typeof MARKS;

export const StateMark = ({ mark }: { mark: Mark }) => {
  const [text, shape] = MARKS[mark];
  return (
    <span class={`mark ${mark}`}>
      <Dot of={shape} />
      {text}
    </span>
  );
};
