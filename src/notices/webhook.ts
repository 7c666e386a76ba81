/**
 * Sends batches to webhooks, signed as Standard Webhooks 1.0 describes it (docs/specification.md#webhooks,
 * https://www.standardwebhooks.com).
 */
import { createHmac } from 'node:crypto';
import type { Rules } from '../outgoing/addresses.ts';
import { postTo } from './posting.ts';
import type { Batch, Outlet } from './sending.ts';

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

const PREFIX = 'whsec_';

/**
 * Returns the headers that name and sign an attempt.
 * @param secrets each of them signs
 * @param nowMs the time of the attempt, in ms since 1970 UTC: receivers refuse old ones
 */
export function signatureHeaders(
  webhookId: string,
  body: string,
  secrets: readonly string[],
  nowMs = Date.now(),
): Record<string, string> {
  const timestamp = Math.floor(nowMs / 1000);
  const signed = `${webhookId}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return {
    'webhook-id': webhookId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
