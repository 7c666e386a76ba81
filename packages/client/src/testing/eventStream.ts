/** The stream of events, as the service sends it. */
import type { HoldfastEvent } from '../types.ts';
import { isoOf, type Store } from './store.ts';

export function eventStream(store: Store): Response {
  const encoder = new TextEncoder();
  let stop = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(': open\n\n'));
      const send = (change: Partial<HoldfastEvent> & Pick<HoldfastEvent, 'type'>) => {
        const event: HoldfastEvent = { ...NOTHING, timestamp: isoOf(store.clock.wall()), ...change };
        controller.enqueue(encoder.encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
      };
      store.listeners.add(send);
      stop = () => store.listeners.delete(send);
    },
    cancel: () => stop(),
  });
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
}

const NOTHING: Omit<HoldfastEvent, 'type' | 'timestamp'> = {
  tenantId: 'fake',
  resource: null,
  requester: null,
  explanation: null,
  resourceType: 'UserDefined',
  apiKeyLabel: null,
  actor: null,
  requestType: null,
  expiresAt: null,
  acquiredSlots: null,
  fencingToken: null,
  method: null,
  changes: null,
  limitType: null,
  limit: null,
};
