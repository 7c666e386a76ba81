/** The events of the service, for users. */
import type { Api } from '../http/api.ts';
import { refuseUnknown } from '../options.ts';
import type { HoldfastEvent } from '../types.ts';
import { type ConnectionChange, stream } from './stream.ts';

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
