/**
 * The signature of a request from Slack (docs/specification.md#reserving-from-slack): HMAC-SHA256 of its time and its
 * raw body, with the signing secret of the app.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Age from which a request is refused, in s; also how far ahead its clock may be. */
const MAX_AGE_S = 300;
const SIGNATURE = /^v0=[0-9a-f]{64}$/;
const SECONDS = /^\d{1,12}$/;

/** The headers that prove where a request comes from. */
export interface Signed {
  readonly timestamp: string;
  readonly signature: string;
}

/** Reads the headers; null: a header is missing or malformed, or the request is too old. */
export function signedBy(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  nowMs = Date.now(),
): Signed | null {
  const timestamp = String(headers['x-slack-request-timestamp']);
  const signature = String(headers['x-slack-signature']);
  if (!SECONDS.test(timestamp) || !SIGNATURE.test(signature)) return null;
  return Math.abs(nowMs / 1000 - Number(timestamp)) > MAX_AGE_S ? null : { timestamp, signature };
}

export const sign = (secret: string, timestamp: string, body: Uint8Array): string =>
  `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;

/** Returns true if somebody who knows the secret has sent the body. */
export const isSigned = ({ timestamp, signature }: Signed, secret: string, body: Uint8Array): boolean =>
  timingSafeEqual(Buffer.from(signature), Buffer.from(sign(secret, timestamp, body)));
