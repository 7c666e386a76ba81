/**
 * Reads the messages that scripts publish (lua/lib/publish.lua) and writes the text of streams from them: once for each
 * message and instance, however many streams there are.
 *
 * The text is written without parsing the events, which would cost more than all else that happens to an event: the
 * fields of an event pass through as they are, behind those that its message and its type give it. Tests check every
 * event that they receive against the schema in src/contract/events.ts.
 */
import { EVENT_TYPES, fieldsMissingFrom } from '../contract/events.ts';

export interface Message {
  readonly number: number;
  /** The Redis process that published it. */
  readonly publisher: string;
  readonly events: number;
  /** The events as streams send them. */
  readonly text: string;
}

/** The messages that arrived in one turn of the event loop. */
export interface Batch {
  readonly messages: readonly Message[];
  /** Whether each message has the number after that of the one before, and the same publisher. */
  readonly isUnbroken: boolean;
  readonly events: number;
  /** The events of all messages as streams send them. */
  readonly text: Buffer;
}

const HEAD = /^v2 (\d+) (\w*) (\d+)$/;

/** The head of a message of the release before: what follows is the text of streams. */
const TEXT_HEAD = /^(\d+) (\w*)$/;

const TYPE_AT = '{"type":"'.length;

/** Matches no text within a string: there, each quote follows a backslash. */
const EXPIRES_AT = /"expiresAt":(\d+)/g;

/** By type, the fields that events of the type do not have, as JSON. */
const nullsOf = new Map<string, string>(
  EVENT_TYPES.map((type) => [
    type,
    fieldsMissingFrom(type)
      .map((field) => `,"${field}":null`)
      .join(''),
  ]),
);

/** Reads a message. One of an unknown form gets no number, so that it follows no other: streams end at it. */
export function parseMessage(tenant: string, payload: Buffer): Message {
  const text = payload.toString();
  const end = text.indexOf('\n');
  const head = text.slice(0, end);
  const [, number, publisher = '', ms] = HEAD.exec(head) ?? [];
  if (number === undefined) return parseText(head, text.slice(end + 1));
  const lines = text
    .slice(end + 1)
    .replace(EXPIRES_AT, (_, at) => `"expiresAt":"${toTime(at)}"`)
    .split('\n');
  const shared = `","tenantId":"${tenant}","timestamp":"${toTime(ms)}"`;
  let written = '';
  for (const line of lines) {
    const typeEnd = line.indexOf('"', TYPE_AT);
    const type = line.slice(TYPE_AT, typeEnd);
    written += `event: ${type}\ndata: {"type":"${type}${shared}${nullsOf.get(type) ?? ''}${line.slice(typeEnd + 1)}\n\n`;
  }
  return { number: Number(number), publisher, events: lines.length, text: written };
}

/** Reads a message of the release before. The next release can drop this. */
function parseText(head: string, text: string): Message {
  const [, number = Number.NaN, publisher = ''] = TEXT_HEAD.exec(head) ?? [];
  // Each event ends with an empty line, and holds none.
  return { number: Number(number), publisher, events: text.split('\n\n').length - 1, text };
}

/** The time that was converted last: events of one moment come together. */
let last = { ms: '', time: '' };

function toTime(ms = ''): string {
  if (ms !== last.ms) last = { ms, time: new Date(Number(ms)).toISOString() };
  return last.time;
}

export function toBatch(messages: readonly Message[]): Batch {
  const [first] = messages;
  let [isUnbroken, events, text] = [true, 0, ''];
  messages.forEach((message, i) => {
    isUnbroken &&= message.number === (first?.number ?? 0) + i && message.publisher === first?.publisher;
    events += message.events;
    text += message.text;
  });
  return { messages, isUnbroken, events, text: Buffer.from(text) };
}
