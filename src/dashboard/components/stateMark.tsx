/**
 * The state of a resource as a word and a shape.
 */
import { CONDITION_WORDS } from '../words/conditionWords.ts';
import { Dot } from './dot.tsx';

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
