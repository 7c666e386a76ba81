/**
 * A subscriber on a socket of its own: reads a stream of events as it comes, frame by frame.
 */
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { Event } from '../../src/contract/events.ts';
import type { RedisClient } from '../../src/redis/client.ts';
import { historyKey } from '../../src/redis/keys.ts';
import { send } from '../../src/redis/send.ts';
import { STEERED_CLOCK, setClock } from './clock.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from './service.ts';
import { until } from './until.ts';

export interface Subscriber {
  readonly socket: Socket;
  /** Status line and headers. */
  readonly head: string;
  readonly events: Event[];
  /** Their JSON, as it came. */
  readonly texts: string[];
  readonly comments: string[];
  /** Its end so far: 'in good order' by the last chunk of the response. */
  readonly ended: 'no' | 'in good order' | 'cut off';
  /** Waits for so many events in all. */
  count(events: number): Promise<Event[]>;
  close(): void;
}

/** Opens a stream and waits for its head. A status other than 200 is in the head too. */
export async function watch({ url, key }: { url: string; key: string }): Promise<Subscriber> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  const state = {
    socket,
    head: '',
    events: [] as Event[],
    texts: [] as string[],
    comments: [] as string[],
    ended: 'no' as Subscriber['ended'],
  };
  let [raw, text, done] = ['', '', false];
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    raw += chunk;
    if (state.head === '') {
      const end = raw.indexOf('\r\n\r\n');
      if (end === -1) return;
      state.head = raw.slice(0, end);
      raw = raw.slice(end + 4);
    }
    // Chunked: <length, hexadecimal>\r\n<that many bytes>\r\n
    for (let line = raw.indexOf('\r\n'); line !== -1; line = raw.indexOf('\r\n')) {
      const length = Number.parseInt(raw.slice(0, line), 16);
      if (Number.isNaN(length) || raw.length < line + 2 + length + 2) break;
      if (length === 0) done = true;
      text += raw.slice(line + 2, line + 2 + length);
      raw = raw.slice(line + 2 + length + 2);
    }
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      if (frame.startsWith(':')) {
        state.comments.push(frame);
        continue;
      }
      const [, type, data] = /^event: (\w+)\ndata: (.*)$/s.exec(frame) ?? [];
      const json = Buffer.from(data ?? '', 'latin1').toString();
      const event: Event = JSON.parse(json);
      if (event.type !== type) throw new Error(`an event named ${type} has the type ${event.type}`);
      state.events.push(event);
      state.texts.push(json);
    }
    if (done) state.ended = 'in good order';
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    if (state.ended === 'no') state.ended = 'cut off';
  });
  socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${key}\r\n\r\n`);
  await until('the head of the stream', () => state.head !== '' || state.ended !== 'no');
  return {
    socket,
    get head() {
      return state.head;
    },
    events: state.events,
    texts: state.texts,
    comments: state.comments,
    get ended() {
      return state.ended;
    },
    count: async (events) => {
      await until(`${events} events`, () => state.events.length >= events);
      return state.events;
    },
    close: () => socket.destroy(),
  };
}

/**
 * An instance whose clock stands still, with one subscriber a test, for tests that compare events field by field.
 * `useEventFields` starts and stops it.
 */

export const NOW = Date.parse('2048-02-29T23:59:59.007Z');

export let holdfast: Instance;
export let subscriber: Subscriber;

/** To be called at the top of a test file. */
export function useEventFields(): void {
  beforeAll(async () => {
    holdfast = await startInstance({
      keys: [{ ...makeConfiguredKey(makeTenant(), 'wörk "er"'), tier: 'Free' }],
      includes: { 'frame/now': STEERED_CLOCK },
    });
    await setClock(holdfast.redis, holdfast.tenant, NOW);
  });
  afterAll(() => holdfast.stop());
  beforeEach(async () => {
    await holdfast.reset();
    subscriber = await watch(holdfast);
  });
  afterEach(async () => {
    subscriber.close();
    await setClock(holdfast.redis, holdfast.tenant, NOW);
    for (const received of subscriber.events) Event.strict().parse(received);
  });
}

export const event = (fields: object) => ({
  tenantId: holdfast.tenant,
  resource: null,
  requester: null,
  explanation: null,
  resourceType: null,
  apiKeyLabel: 'wörk "er"',
  timestamp: '2048-02-29T23:59:59.007Z',
  expiresAt: null,
  acquiredSlots: null,
  fencingToken: null,
  method: null,
  changes: null,
  limitType: null,
  limit: null,
  actor: null,
  ...fields,
});
export type LeaseFields = Pick<Event, 'expiresAt' | 'acquiredSlots' | 'fencingToken'>;
export const reserve = async (resource: string, requester = 'a', more = {}) =>
  (await holdfast.reserve({ resource, requester, ...more })).body[0];

/**
 * Entries of a tenant's stream in Redis with ids that begin with given times, which tests of how they are moved need.
 */

export interface Ended {
  /** When it ended, in ms since 1970 UTC. */
  readonly at: number;
  /** Its fencing token. */
  readonly number: number;
  readonly resource?: string;
  readonly requester?: string;
}

/** The value of an entry for a released reservation of a plain name, which was held for a second. */
function released({ at, number, resource = 'printer', requester = 'me' }: Ended): Buffer {
  const times = Buffer.alloc(19);
  // 7 bytes for the fencing token, 6 for each of the times.
  times.writeUIntBE(Math.floor(number / 2 ** 48), 0, 1);
  times.writeUIntBE(number % 2 ** 48, 1, 6);
  times.writeUIntBE(at - 1000, 7, 6);
  const token = 'x'.repeat(22);
  return Buffer.concat([
    Buffer.from(`${resource}\n${at} \n\u0002${requester}\0`),
    times,
    Buffer.from(`${token}Device\0worker\0`),
  ]);
}

/** Adds entries to a tenant's stream, with ids that begin with their times. */
export async function addEnded(redis: RedisClient, tenant: string, entries: readonly Ended[]): Promise<void> {
  await Promise.all(
    entries.map((entry) => send(() => redis.xadd(historyKey(tenant), `${entry.at}-*`, 'R', released(entry)))),
  );
}

/** Entries that ended one after the other, a millisecond apart, the last one at a time. */
export const endedUntil = (at: number, count: number, more: Partial<Ended> = {}): Ended[] =>
  Array.from({ length: count }, (_, i) => ({ at: at - count + 1 + i, number: i + 1, ...more }));
