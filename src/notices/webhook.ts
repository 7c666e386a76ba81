/**
 * Sends batches to webhooks, as Standard Webhooks 1.0 describes them (docs/specification.md#webhooks).
 */
import type { Rules } from '../outgoing/addresses.ts';
import { postTo } from './posting.ts';
import type { Batch, Outlet } from './sending.ts';
import { signatureHeaders } from './signature.ts';

/** @param rules the addresses that are allowed */
export const webhookOutlet = (rules: Rules): Outlet => ({
  everyMs: 100,
  maxEvents: 100,
  send: async ({ tenant, target, secrets }, batch, signal) => {
    if (!('url' in target)) throw new Error('a webhook has a URL');
    const body = bodyOf(tenant, batch);
    const headers = { 'content-type': 'application/json', ...signatureHeaders(batch.webhookId, body, secrets) };
    return postTo(target.url, { headers, body, signal, rules });
  },
});

/** Returns the body of a delivery. It is the same in each attempt. */
function bodyOf(tenantId: string, { events }: Batch): string {
  const timestamp = events.at(-1)?.timestamp;
  return JSON.stringify({ type: 'holdfast.events', timestamp, data: { tenantId, events } });
}
