/**
 * Release tokens. Callers get a UUID (docs/specification.md#reserve); Redis stores its 16 bytes as 22 characters of
 * base64url. It says when it was made (RFC 9562, version 7), so that no caller hears of a reset before their
 * reservation (unreserve.ts).
 */
import { randomFillSync } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Random bytes for many tokens at a time: making and packing each UUID on its own costs ten times as much. */
const POOL = Buffer.alloc(4096);
let taken = POOL.length;

/** Returns 16 random bytes of the pool, from `start` on. */
function takeBytes(): number {
  if (taken === POOL.length) {
    randomFillSync(POOL);
    taken = 0;
  }
  const start = taken;
  taken += 16;
  return start;
}

/** Returns the bytes from `start` on as a UUID of this version, in its stored form. */
function toStored(start: number, version: number): string {
  POOL.writeUInt8((POOL.readUInt8(start + 6) & 0x0f) | (version << 4), start + 6);
  POOL.writeUInt8((POOL.readUInt8(start + 8) & 0x3f) | 0x80, start + 8);
  return POOL.toString('base64url', start, start + 16);
}

/** Returns a new random UUID, in its stored form. */
export const newToken = (): string => toStored(takeBytes(), 4);

/** Returns a new release token in its stored form: 48 bits are the time, 74 are random. */
export function newReleaseToken(): string {
  const start = takeBytes();
  POOL.writeUIntBE(Date.now(), start, 6);
  return toStored(start, 7);
}

/** Returns when a release token was made, in ms since 1970 UTC; Infinity if it does not say that. */
export const madeAtMs = (token: string): number =>
  UUID.test(token) && token[14] === '7' ? Number.parseInt(token.replace('-', '').slice(0, 12), 16) : Infinity;

/** Returns the stored form of a token; '' if the text is not a UUID, so that it matches no token. */
export const packToken = (token: string): string =>
  UUID.test(token) ? Buffer.from(token.replaceAll('-', ''), 'hex').toString('base64url') : '';

/** Returns the token for a stored form. */
export function unpackToken(packed: string): string {
  const hex = Buffer.from(packed, 'base64url').toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
