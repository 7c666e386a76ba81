/**
 * The head line of a page, 32 px high: its title, counts as links, and on the right its views and its main action.
 */
import type { Child } from 'hono/jsx';
import { number } from '../words/numbers.ts';

export interface HeadProps {
  readonly title: string;
  /** `Count`s beside the title. They are renewed with the page. */
  readonly counts?: Child;
  /** The right end: a `.seg` of views, the main button (`.button.primary`). */
  readonly actions?: Child;
  /** True if phones leave the line out, since their bars say what page it is. Screen readers still find the title. */
  readonly isWide?: boolean | undefined;
}

export const Head = ({ title, counts, actions, isWide = false }: HeadProps) => (
  <div class={isWide ? 'head wide' : 'head'}>
    <h1>{title}</h1>
    {counts && (
      <p class="counts" data-live="counts">
        {counts}
      </p>
    )}
    {actions !== undefined && <div class="end">{actions}</div>}
  </div>
);

interface CountProps {
  readonly of: number;
  /** The name of the count: `free`, `in use`. */
  readonly word: string;
  /** The page that shows them; undefined: there is none */
  readonly to?: string | undefined;
}

/** A count of a head line: `24 free`. */
export const Count = ({ of, word, to }: CountProps) => {
  const text = (
    <>
      <b>{number(of)}</b> {word}
    </>
  );
  return to === undefined ? <span>{text}</span> : <a href={to}>{text}</a>;
};
