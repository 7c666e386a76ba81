/** The stream of events, as it comes. */
import { textAt } from '../recorder.ts';
import type { Stage } from '../world.ts';

export async function events({ record, key, instance }: Stage): Promise<void> {
  const stop = new AbortController();
  const response = await fetch(`${instance.url}/api/v1/events`, { headers: key.headers, signal: stop.signal });
  const lock = { resource: 'printer', requester: 'worker-1' };
  const { body } = await record.quiet('reserve', { by: key, body: [{ ...lock, ttlSeconds: 60 }] });
  await record.quiet('unreserve', { by: key, body: [{ ...lock, releaseToken: textAt(body, 0, 'releaseToken') }] });
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (/event: UNRESERVED\ndata: .*\n\n/.test(text)) break;
  }
  stop.abort();
  record.keep('streamEvents', {
    title: 'A lock is taken and released',
    as: 'key',
    method: 'GET',
    address: '/api/v1/events',
    status: response.status,
    response: String(record.normal([unquoted(text)])).replaceAll("'", '"'),
  });
}

/** The data, so that the quotes in it are not escaped when times and numbers are found. */
const unquoted = (text: string) => text.replaceAll('"', "'");
