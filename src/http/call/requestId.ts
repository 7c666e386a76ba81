/**
 * The id of a request, its caller's if that is valid, and the headers that every response has. They keep API responses
 * out of caches, and stop browsers from guessing another media type.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const VALID = /^[\w=-]{1,255}$/;

export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && VALID.test(given) ? given : randomUUID();
}

export type Fields = Readonly<Record<string, string>>;

/** Headers, and the same with the media type of JSON. */
interface Common {
  readonly plain: Fields;
  readonly json: Fields;
}
const common = (plain: Fields): Common => ({ plain, json: { 'Content-Type': 'application/json', ...plain } });

const NOSNIFF: Fields = { 'X-Content-Type-Options': 'nosniff' };
const NONE = common({});
const NOT_SNIFFED = common(NOSNIFF);
const API = common({ 'Cache-Control': 'no-store', ...NOSNIFF });

/** The headers of each response at a path, beside X-Request-Id. */
export function commonHeaders(path: string): Common {
  if (path.startsWith('/api/') || path === '/mcp') return API;
  return path.startsWith('/docs') || path === '/openapi.json' ? NOT_SNIFFED : NONE;
}
