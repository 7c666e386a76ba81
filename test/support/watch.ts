/**
 * A subscriber on a socket of its own: reads a stream of events as it comes, frame by frame.
 */
import { connect, type Socket } from 'node:net';
import type { Event } from '../../src/contract/events.ts';
import { until } from './until.ts';

export interface Subscriber {
  readonly socket: Socket;
  /** Status line and headers. */
  readonly head: string;
  readonly events: Event[];
  /** Their JSON, as it came. */
  readonly texts: string[];
  readonly comments: string[];
  /** Whether it has ended, and by the last chunk of the response, not by a cut. */
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
