/**
 * Release tokens. Callers get a UUID (docs/specification.md#reserve); Redis stores its 16 bytes as 22 characters of
 * base64url.
 */
import { randomFillSync } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Random bytes for many tokens at a time: making and packing each UUID on its own costs ten times as much. */
const POOL = Buffer.alloc(4096);
let taken = POOL.length;

/** Returns a new token, a random UUID (version 4), in its stored form. */
export function newToken(): string {
  if (taken === POOL.length) {
    randomFillSync(POOL);
    taken = 0;
  }
  const start = taken;
  taken += 16;
  POOL.writeUInt8((POOL.readUInt8(start + 6) & 0x0f) | 0x40, start + 6);
  POOL.writeUInt8((POOL.readUInt8(start + 8) & 0x3f) | 0x80, start + 8);
  return POOL.toString('base64url', start, taken);
}

/** Returns the stored form of a token; '' if the text is not a UUID, so that it matches no token. */
export const packToken = (token: string): string =>
  UUID.test(token) ? Buffer.from(token.replaceAll('-', ''), 'hex').toString('base64url') : '';

/** Returns the token for a stored form. */
export function unpackToken(packed: string): string {
  const hex = Buffer.from(packed, 'base64url').toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
