/**
 * Reads the messages that scripts publish (lua/events/events.lua) and turns them into the text of streams. An instance
 * does this once for each message, for any number of streams.
 *
 * Events are not parsed: parsing would cost more than all other work for an event. The fields of an event are copied
 * unchanged, after the fields that its message and its type determine. Tests check received events against the schema
 * in src/contract/events.ts.
 *
 * Events are copied as bytes into one buffer for all messages of an iteration of the event loop. Strings are latin1
 * here, with one character for each byte, so that an index is the same in both.
 */
import { fieldsMissingFrom } from '../contract/events.ts';
import { EVENT_TYPES } from '../domain/eventTypes.ts';

export interface Message {
  readonly number: number;
  /** The Redis process that published it. */
  readonly publisher: string;
  readonly events: number;
  /** Where its events end in the text of its batch. */
  readonly end: number;
}

/** The messages that arrived in one iteration of the event loop. */
export interface Batch {
  readonly messages: readonly Message[];
  /** True if each message has the number after that of the one before, and the same publisher. */
  readonly isUnbroken: boolean;
  readonly events: number;
  /** The events of all messages as streams send them. */
  readonly text: Buffer;
}

/** The start of an event: its type and, if it has them, in ms: until when it can be claimed, the end of the lease. */
const BEGINNING = /^\{"type":"(\w+)",(?:"claimBy":(\d+),)?(?:"expiresAt":(\d+|null),)?/;

/** No start of an event is longer, in bytes. */
const MAX_BEGINNING = 200;

/** The first line of a message after its number: the publisher, and the ms. */
const HEAD = /^ (\S+) (\d+)\n$/;

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

/** Reads messages. One of an unknown form gets the number NaN, which follows no other, so streams end at it. */
export function readMessages(tenant: string, payloads: readonly Buffer[]): Batch {
  const text = new Text(2 * payloads.reduce((sum, { length }) => sum + length, 0));
  const messages = payloads.map((payload) => readMessage(tenant, payload, text));
  const [first] = messages;
  let [isUnbroken, events] = [true, 0];
  messages.forEach((message, i) => {
    isUnbroken &&= message.number === (first?.number ?? 0) + i && message.publisher === first?.publisher;
    events += message.events;
  });
  return { messages, isUnbroken, events, text: text.bytes };
}

/** Text that is written piece by piece. */
class Text {
  #buffer: Buffer;
  length = 0;

  /** @param size its expected length in bytes. It may become longer */
  constructor(size: number) {
    this.#buffer = Buffer.allocUnsafe(size);
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }

  add(bytes: Uint8Array): void {
    const end = this.length + bytes.length;
    if (end > this.#buffer.length) this.#buffer = Buffer.concat([this.bytes], 2 * end);
    this.#buffer.set(bytes, this.length);
    this.length = end;
  }
}

/** Bytes are compared, and not read as text, as long as messages begin like the one before: most do. */
function readMessage(tenant: string, payload: Buffer, text: Text): Message {
  let [number, at] = [0, VERSION.length];
  for (let digit = digitAt(payload, at); digit >= 0 && digit <= 9; digit = digitAt(payload, ++at))
    number = 10 * number + digit;
  const isAlike = tenant === last.tenant && hasAt(payload, at, last.head);
  if (!hasAt(payload, 0, VERSION) || (!isAlike && !readHead(tenant, payload, at)))
    return { number: Number.NaN, publisher: '', events: 0, end: text.length };
  let events = 0;
  for (let from = at + last.head.length; from < payload.length; events++) {
    if (!hasAt(payload, from, last.read)) readBeginning(payload, from);
    const next = payload.indexOf(NEWLINE, from);
    const end = next === -1 ? payload.length : next;
    from += last.read.length;
    text.add(last.written);
    if (last.hasChanges) text.add(withTimes(payload.toString('latin1', from, end)));
    else text.add(new Uint8Array(payload.buffer, payload.byteOffset + from, end - from));
    text.add(EVENT_END);
    from = end + 1;
  }
  return { number, publisher: last.publisher, events, end: text.length };
}

const NEWLINE = 0x0a;
const VERSION = Buffer.from('v2 ');
const EVENT_END = Buffer.from('\n\n');

const digitAt = (bytes: Buffer, at: number): number => (bytes[at] ?? 0) - 0x30;

/** Returns true if a part is at an index. A loop: most parts are short. */
function hasAt(bytes: Buffer, at: number, part: Buffer): boolean {
  for (let i = 0; i < part.length; i++) if (bytes[at + i] !== part[i]) return false;
  return true;
}

/** No event begins like this. */
const NONE: Buffer = EVENT_END;

/**
 * The first line of the previous message after its number (head), and the start of the previous event: as published
 * (read) and as streams send it (written).
 */
let last = { tenant: '', head: NONE, publisher: '', ms: '', read: NONE, written: NONE, hasChanges: false };

/** Reads a first line into `last`. Returns false if it has another form. */
function readHead(tenant: string, payload: Buffer, from: number): boolean {
  const end = payload.indexOf(NEWLINE, from) + 1;
  const [line, publisher = '', ms = ''] = HEAD.exec(payload.toString('latin1', from, end)) ?? [];
  if (line === undefined) return false;
  last = { tenant, head: payload.subarray(from, end), publisher, ms, read: NONE, written: NONE, hasChanges: false };
  return true;
}

/** Reads the start of an event into `last`. */
function readBeginning(payload: Buffer, from: number): void {
  const text = payload.toString('latin1', from, from + MAX_BEGINNING);
  const [read = '', type = '', claimBy, expiresAt] = BEGINNING.exec(text) ?? [];
  const { tenant, head, publisher, ms } = last;
  const claim = claimBy === undefined ? '' : `"claimBy":${toJsonTime(claimBy)},`;
  const lease = expiresAt === undefined ? '' : `"expiresAt":${expiresAt === 'null' ? 'null' : toJsonTime(expiresAt)},`;
  const common = `"tenantId":"${tenant}","timestamp":${toJsonTime(ms)},${nullsOf.get(type) ?? ''}${claim}${lease}`;
  const written = Buffer.from(`event: ${type}\ndata: {"type":"${type}",${common}`, 'latin1');
  const hasChanges = type.startsWith('TRANSACTION_');
  last = { tenant, head, publisher, ms, read: payload.subarray(from, from + read.length), written, hasChanges };
}

const withTimes = (changes: string): Buffer =>
  Buffer.from(
    changes.replace(EXPIRES_AT, (_, ms) => `"expiresAt":${toJsonTime(ms)}`),
    'latin1',
  );

const toJsonTime = (ms: string): string => `"${new Date(Number(ms)).toISOString()}"`;
