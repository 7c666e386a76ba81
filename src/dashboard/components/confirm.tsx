/**
 * A button for an action that cannot be undone: it asks for confirmation in a popover, without any script.
 */

import type { Child } from 'hono/jsx';
import { HiddenFields } from './hiddenFields.tsx';

export interface ConfirmProps {
  /** Unique in the page. */
  readonly id: string;
  readonly label: string;
  /** Added to the label for screen readers, if the label alone is ambiguous. */
  readonly about?: string;
  readonly question: string;
  /** The address of the form. */
  readonly action: string;
  /** Its hidden fields. */
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
        <HiddenFields fields={fields} />
        {children}
        <p class="buttons">
          <button type="submit" class="danger" id={`${id}-yes`}>
            {label}
          </button>{' '}
          <button type="button" id={`${id}-no`} popovertarget={id} popovertargetaction="hide" autofocus>
            Cancel
          </button>
        </p>
      </form>
    </div>
  </>
);
