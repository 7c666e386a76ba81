/**
 * Release tokens. Callers see a UUID (decisions, section 6); Redis keeps its 16 bytes as 22 characters of base64url.
 */
import { randomUUID } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const newToken = (): string => randomUUID();

/** The stored form of a token; '' where the text is not a UUID and so is nobody's token. */
export const packToken = (token: string): string =>
  UUID.test(token) ? Buffer.from(token.replaceAll('-', ''), 'hex').toString('base64url') : '';

/** The token that a stored form stands for. */
export function unpackToken(packed: string): string {
  const hex = Buffer.from(packed, 'base64url').toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
