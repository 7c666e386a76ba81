/**
 * Messages in Slack, as Block Kit has them. Names in them are escaped, and no text is searched for links or mentions.
 */
import { buttonValue, type Command } from './command.ts';

/** A text in mrkdwn. Slack takes at most 3,000 characters. */
interface Section {
  readonly type: 'section';
  readonly text: { readonly type: 'mrkdwn'; readonly text: string; readonly verbatim: true };
}

interface Actions {
  readonly type: 'actions';
  readonly elements: readonly {
    readonly type: 'button';
    readonly action_id: string;
    readonly text: { readonly type: 'plain_text'; readonly text: string; readonly emoji: false };
    readonly value: string;
    readonly style?: 'primary';
  }[];
}

export interface Message {
  /** The same for notifications. */
  readonly text: string;
  readonly blocks: readonly (Section | Actions)[];
}

export interface Button {
  readonly text: string;
  readonly command: Command;
  readonly style?: 'primary';
}

/** A paragraph, with the buttons below it. */
export interface Part {
  readonly text: string;
  readonly buttons?: readonly Button[];
}

const MAX_TEXT = 3000;

/** Cuts a text that is too long, at the end of a line: names may be long, and longer once they are escaped. */
function fitting(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const end = text.lastIndexOf('\n', MAX_TEXT - 2);
  return `${text.slice(0, end < 0 ? MAX_TEXT - 2 : end)}\n…`;
}

/** Makes a message of at most 25 parts: Slack takes 50 blocks. */
export const message = (...parts: readonly Part[]): Message => ({
  text: parts.map(({ text }) => text).join('\n'),
  blocks: parts.flatMap(({ text, buttons = [] }) => [
    { type: 'section', text: { type: 'mrkdwn', text: fitting(text), verbatim: true } },
    ...(buttons.length === 0 ? [] : [actionsOf(buttons)]),
  ]),
});

/** Within one block, each id must be another. */
const actionsOf = (buttons: readonly Button[]): Actions => ({
  type: 'actions',
  elements: buttons.map(({ text, command, style }, i) => ({
    type: 'button',
    action_id: `${command.verb}-${i}`,
    text: { type: 'plain_text', text, emoji: false },
    value: buttonValue(command),
    ...(style && { style }),
  })),
});

/** A message of one paragraph. */
export const say = (text: string, ...buttons: readonly Button[]): Message => message({ text, buttons });
