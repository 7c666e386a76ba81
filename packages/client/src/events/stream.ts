/**
 * The stream of events, opened again whenever it ends (docs/specification.md#the-stream). A stream that is silent for
 * three keepalives counts as lost: a connection that died without a sign looks like one without events.
 */
import { ENDLESS } from '../durations.ts';
import { HoldfastError, refuseUnknown } from '../errors.ts';
import type { Api } from '../http/api.ts';
import { Closing, textIn } from '../http/body.ts';
import { delayBefore, pause, withCause } from '../http/retries.ts';
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
 * @throws HoldfastError if the first stream cannot be opened within 30 s, or the client's `retryFor`; if the service
 *   refuses the key
 */
export async function* stream(
  api: Api,
  signal?: AbortSignal,
  silentMs = SILENT_MS,
): AsyncGenerator<HoldfastEvent | ConnectionChange, void, undefined> {
  let deadline = api.retries.deadline();
  let failure: HoldfastError | undefined;
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
    if (signal?.aborted) return void withCause(signal.reason, failure);
    if (openedAt !== undefined) {
      failure = undefined;
      deadline = ENDLESS;
      if (performance.now() - openedAt > LASTED_MS) tries = 1;
      yield { type: 'DISCONNECTED' };
    }
    const delay = delayBefore(error, tries, deadline);
    if (delay === undefined) throw error;
    failure = error;
    api.retries.tell(error, tries, delay);
    await pause(delay, signal);
    if (signal?.aborted) return void withCause(signal.reason, failure);
  }
}

/** Yields `CONNECTED`, then the events of one connection until it ends. */
async function* connection(
  api: Api,
  signal: AbortSignal | undefined,
  silentMs: number,
): AsyncGenerator<HoldfastEvent | ConnectionChange, void, undefined> {
  const response = await api.open('/events', { signal });
  const closing = new Closing(silentMs, signal);
  let rest: string | undefined;
  try {
    for await (const text of textIn(response, closing, true)) {
      // The service begins with a comment.
      if (rest === undefined) yield { type: 'CONNECTED' };
      const lines: string[] = `${rest ?? ''}${text}`.split('\n');
      rest = lines.pop() ?? '';
      // An event has one line of data. Its other line is its type, which the data has, too.
      for (const line of lines) if (line.startsWith(DATA)) yield JSON.parse(line.slice(DATA.length));
    }
  } finally {
    closing.dispose();
  }
}

export interface EventsOptions {
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal | undefined;
  /** Only events of these types. Changes of the connection are always told. */
  readonly types?: readonly HoldfastEvent['type'][] | undefined;
}

/**
 * Every change of the tenant, as it happens, with `CONNECTED` and `DISCONNECTED` in between. If the stream ends, it is
 * opened again until the signal aborts.
 *
 * Nothing is buffered here. If a loop falls more than 1 MiB behind, the service ends the stream, and the loop gets
 * `DISCONNECTED`.
 * @throws HoldfastError as the first stream cannot be opened within 30 s; as soon as the service refuses the key
 */
export async function* events(
  api: Api,
  { signal, types, ...rest }: EventsOptions = {},
): AsyncGenerator<HoldfastEvent | ConnectionChange, void, undefined> {
  refuseUnknown(rest);
  const wanted: ReadonlySet<string> | undefined = types && new Set([...types, 'CONNECTED', 'DISCONNECTED']);
  for await (const event of stream(api, signal)) if (wanted?.has(event.type) !== false) yield event;
}
