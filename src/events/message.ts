/**
 * Reads the messages that scripts publish (lua/events/events.lua) and turns them into the text of streams. An instance
 * does this once for each message, for any number of streams.
 *
 * Events are not parsed: parsing would cost more than all other work for an event. The fields of an event are copied
 * unchanged, after the fields that its message and its type determine. Tests check received events against the schema
 * in src/contract/events.ts.
 *
 * Texts are latin1 here, with one character for each byte, so that UTF-8 is copied without being decoded and encoded.
 */
import { EVENT_TYPES, fieldsMissingFrom } from '../contract/events.ts';

export interface Message {
  readonly number: number;
  /** The Redis process that published it. */
  readonly publisher: string;
  readonly events: number;
  /** The events as streams send them, in latin1. */
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

/** The start of an event: its type and, if the type has it, the end of the lease in ms. */
const BEGINNING = /\{"type":"(\w+)",(?:"expiresAt":(\d+|null),)?/y;

/** The end of a lease in the changes of a transaction. It cannot match within a string, where \ precedes quotes. */
const EXPIRES_AT = /"expiresAt":(\d+)/g;

/** Type → the fields that events of the type do not have, as JSON with null values. */
const nullsOf = new Map<string, string>(
  EVENT_TYPES.map((type) => [
    type,
    fieldsMissingFrom(type)
      .map((field) => `"${field}":null,`)
      .join(''),
  ]),
);

/** Reads a message. A message of an unknown form gets the number NaN, which follows no other, so streams end at it. */
export function parseMessage(tenant: string, payload: Buffer): Message {
  const message = payload.toString('latin1');
  const headEnd = message.indexOf('\n');
  if (!message.startsWith('v2 ')) return UNKNOWN;
  const numberEnd = message.indexOf(' ', 3);
  const publisherEnd = message.indexOf(' ', numberEnd + 1);
  const ms = message.slice(publisherEnd + 1, headEnd);
  if (ms !== last.ms || tenant !== last.tenant) last = { tenant, ms, read: NOTHING, written: '', hasChanges: false };
  let [events, text] = [0, ''];
  for (let from = headEnd + 1; from < message.length; events++) {
    if (!message.startsWith(last.read, from)) readBeginning(message, from);
    const next = message.indexOf('\n', from);
    const end = next === -1 ? message.length : next;
    const rest = message.slice(from + last.read.length, end);
    text += `${last.written}${last.hasChanges ? withTimes(rest) : rest}\n\n`;
    from = end + 1;
  }
  return {
    number: Number(message.slice(3, numberEnd)),
    publisher: message.slice(numberEnd + 1, publisherEnd),
    events,
    text,
  };
}

/** A message of a form that this version does not know. */
const UNKNOWN: Message = { number: Number.NaN, publisher: '', events: 0, text: '' };

/** No event begins like this. */
const NOTHING = '\n';

/** The start of the previous event: as published (read) and as streams send it (written). Most events start alike. */
let last = { tenant: '', ms: '', read: NOTHING, written: '', hasChanges: false };

/** Reads the start of an event into `last`. */
function readBeginning(message: string, from: number): void {
  BEGINNING.lastIndex = from;
  const [read = '', type = '', expiresAt] = BEGINNING.exec(message) ?? [];
  const { tenant, ms } = last;
  const lease = expiresAt === undefined ? '' : `"expiresAt":${expiresAt === 'null' ? 'null' : toJsonTime(expiresAt)},`;
  const shared = `"tenantId":"${tenant}","timestamp":${toJsonTime(ms)},${nullsOf.get(type) ?? ''}${lease}`;
  last = {
    tenant,
    ms,
    read,
    written: `event: ${type}\ndata: {"type":"${type}",${shared}`,
    hasChanges: type.startsWith('TRANSACTION_'),
  };
}

const withTimes = (changes: string): string => changes.replace(EXPIRES_AT, (_, ms) => `"expiresAt":${toJsonTime(ms)}`);

const toJsonTime = (ms: string): string => `"${new Date(Number(ms)).toISOString()}"`;

export function toBatch(messages: readonly Message[]): Batch {
  const [first] = messages;
  let [isUnbroken, events, text] = [true, 0, ''];
  messages.forEach((message, i) => {
    isUnbroken &&= message.number === (first?.number ?? 0) + i && message.publisher === first?.publisher;
    events += message.events;
    text += message.text;
  });
  return { messages, isUnbroken, events, text: Buffer.from(text, 'latin1') };
}
