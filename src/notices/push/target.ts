/**
 * Where the pushes of a browser go, and the keys that they are encrypted with (docs/specification.md#push).
 */
import { ECDH } from 'node:crypto';
import { z } from 'zod';

/** Maximum number of characters of an endpoint: those of push services have some hundred. */
const MAX_ENDPOINT_LENGTH = 2048;
/** Bytes of a point on P-256, and of the secret that a browser shares with senders. */
const [POINT_BYTES, AUTH_BYTES] = [65, 16];

/** The subscription of a browser. Kept encrypted. */
export const PushTarget = z.object({
  endpoint: z.string().max(MAX_ENDPOINT_LENGTH),
  /** The browser's point on P-256, in base64url. */
  p256dh: z.base64url().refine(isPoint),
  /** The secret that it shares with senders, in base64url. */
  auth: z.base64url().refine((text) => Buffer.from(text, 'base64url').length === AUTH_BYTES),
});
export type PushTarget = z.infer<typeof PushTarget>;

function isPoint(text: string): boolean {
  const point = Buffer.from(text, 'base64url');
  if (point.length !== POINT_BYTES) return false;
  try {
    ECDH.convertKey(point, 'prime256v1');
    return true;
  } catch {
    return false;
  }
}
