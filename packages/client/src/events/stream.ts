/**
 * The stream of events, opened again whenever it ends (docs/specification.md#the-stream). A stream that is silent for
 * three keepalives counts as lost: a connection that died without a sign looks like one without events.
 */
import { HoldfastError } from '../errors.ts';
import type { Api } from '../http/api.ts';
import { defaultDeadline, delayBefore, pause } from '../http/retries.ts';
import type { HoldfastEvent } from '../types.ts';

/**
 * `CONNECTED`: from here on no event is missing, until `DISCONNECTED`. Between `DISCONNECTED` and the next `CONNECTED`
 * events may be missing: the service has no replay.
 */
export type ConnectionChange = { readonly type: 'CONNECTED' } | { readonly type: 'DISCONNECTED' };

const DATA = 'data: ';
const SILENT_MS = 45_000;

/** After a stream that lasted this long, the next one is opened without a long delay. */
const LASTED_MS = 5000;

/**
 * Yields the events. When the signal aborts, it ends.
 * @param silentMs for tests
 * @throws HoldfastError if the first stream cannot be opened within 30 s; if the service refuses the key
 */
export async function* stream(
  api: Api,
  signal?: AbortSignal,
  silentMs = SILENT_MS,
): AsyncGenerator<HoldfastEvent | ConnectionChange, void, undefined> {
  let deadline = defaultDeadline();
  for (let tries = 1; ; tries++) {
    let error = new HoldfastError('UNREACHABLE', 'The stream of events ended');
    let openedAt: number | undefined;
    try {
      for await (const event of connection(api, signal, silentMs)) {
        openedAt ??= performance.now();
        yield event;
      }
    } catch (cause) {
      // Anything else is a body that broke off.
      if (cause instanceof HoldfastError) error = cause;
    }
    if (signal?.aborted) return;
    if (openedAt !== undefined) {
      deadline = Number.POSITIVE_INFINITY;
      if (performance.now() - openedAt > LASTED_MS) tries = 1;
      yield { type: 'DISCONNECTED' };
    }
    const delay = delayBefore(error, tries, deadline);
    if (delay === undefined) throw error;
    await pause(delay, signal);
    if (signal?.aborted) return;
  }
}

/** Yields `CONNECTED`, then the events of one connection until it ends. */
async function* connection(
  api: Api,
  signal: AbortSignal | undefined,
  silentMs: number,
): AsyncGenerator<HoldfastEvent | ConnectionChange, void, undefined> {
  const { body } = await api.open('/events', { signal });
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  const giveUp = () => void reader.cancel().catch(() => {});
  signal?.addEventListener('abort', giveUp);
  try {
    signal?.throwIfAborted();
    yield { type: 'CONNECTED' };
    for (;;) {
      const silence = setTimeout(giveUp, silentMs);
      const { value, done } = await reader.read().finally(() => clearTimeout(silence));
      if (done) return;
      const lines = `${rest}${decoder.decode(value, { stream: true })}`.split('\n');
      rest = lines.pop() ?? '';
      // An event has one line of data. Its other line is its type, which the data has, too.
      for (const line of lines) if (line.startsWith(DATA)) yield JSON.parse(line.slice(DATA.length));
    }
  } finally {
    signal?.removeEventListener('abort', giveUp);
    giveUp();
  }
}
