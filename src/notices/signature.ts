/**
 * Signatures of Standard Webhooks 1.0 (https://www.standardwebhooks.com).
 */
import { createHmac } from 'node:crypto';

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
