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
const BEGINNING = /\{"type":"(\w+)",(?:"claimBy":(\d+),)?(?:"expiresAt":(\d+|null),)?/y;

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

function readMessage(tenant: string, payload: Buffer, text: Text): Message {
  const message = payload.toString('latin1');
  if (!message.startsWith('v2 ')) return { number: Number.NaN, publisher: '', events: 0, end: text.length };
  const headEnd = message.indexOf('\n');
  const numberEnd = message.indexOf(' ', 3);
  const publisherEnd = message.indexOf(' ', numberEnd + 1);
  const ms = message.slice(publisherEnd + 1, headEnd);
  if (ms !== last.ms || tenant !== last.tenant) last = { ...NONE, tenant, ms };
  let events = 0;
  for (let from = headEnd + 1; from < message.length; events++) {
    if (!message.startsWith(last.read, from)) readBeginning(message, from);
    const next = message.indexOf('\n', from);
    const end = next === -1 ? message.length : next;
    from += last.read.length;
    text.add(last.written);
    text.add(last.hasChanges ? withTimes(message.slice(from, end)) : payload.subarray(from, end));
    text.add(EVENT_END);
    from = end + 1;
  }
  return {
    number: Number(message.slice(3, numberEnd)),
    publisher: message.slice(numberEnd + 1, publisherEnd),
    events,
    end: text.length,
  };
}

const EVENT_END = Buffer.from('\n\n');

/** No event begins like this. */
const NONE = { tenant: '', ms: '', read: '\n', written: EVENT_END, hasChanges: false };

/** The start of the previous event: as published (read) and as streams send it (written). Most events start alike. */
let last = NONE;

/** Reads the start of an event into `last`. */
function readBeginning(message: string, from: number): void {
  BEGINNING.lastIndex = from;
  const [read = '', type = '', claimBy, expiresAt] = BEGINNING.exec(message) ?? [];
  const { tenant, ms } = last;
  const claim = claimBy === undefined ? '' : `"claimBy":${toJsonTime(claimBy)},`;
  const lease = expiresAt === undefined ? '' : `"expiresAt":${expiresAt === 'null' ? 'null' : toJsonTime(expiresAt)},`;
  const common = `"tenantId":"${tenant}","timestamp":${toJsonTime(ms)},${nullsOf.get(type) ?? ''}${claim}${lease}`;
  last = {
    tenant,
    ms,
    read,
    written: Buffer.from(`event: ${type}\ndata: {"type":"${type}",${common}`, 'latin1'),
    hasChanges: type.startsWith('TRANSACTION_'),
  };
}

const withTimes = (changes: string): Buffer =>
  Buffer.from(
    changes.replace(EXPIRES_AT, (_, ms) => `"expiresAt":${toJsonTime(ms)}`),
    'latin1',
  );

const toJsonTime = (ms: string): string => `"${new Date(Number(ms)).toISOString()}"`;
