/**
 * A button that asks again before it does what cannot be undone. It needs no script: the question is a popover of the
 * browser's own.
 */
import type { Child } from 'hono/jsx';

export interface ConfirmProps {
  /** One of its kind in the page. */
  readonly id: string;
  readonly label: string;
  /** What a screen reader says besides the label, where that alone does not tell what it is about. */
  readonly about?: string;
  readonly question: string;
  /** Where the form goes. */
  readonly action: string;
  /** What it sends. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly children?: Child;
}

export const Confirm = ({ id, label, about, question, action, fields = {}, children }: ConfirmProps) => (
  <>
    <button type="button" popovertarget={id} id={`${id}-open`}>
      {label}
      {about !== undefined && <span class="out-of-sight"> {about}</span>}
    </button>
    <div id={id} popover="auto" class="confirm" role="dialog" aria-label={question}>
      <form method="post" action={action}>
        <p class="question">{question}</p>
        {Object.entries(fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {children}
        <p class="buttons">
          <button type="submit" class="danger">
            {label}
          </button>{' '}
          <button type="button" popovertarget={id} popovertargetaction="hide" autofocus>
            Cancel
          </button>
        </p>
      </form>
    </div>
  </>
);
