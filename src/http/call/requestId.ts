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

/** The headers of responses. To add one to a copy would take a hundred times as long as to replace one. */
const forms = (common: Fields) => {
  const free = { ...common, 'X-Request-Id': '' };
  return { free, limited: { ...free, 'RateLimit-Policy': '', RateLimit: '' } };
};
const kindOf = (common: Fields) => ({
  plain: forms(common),
  json: forms({ 'Content-Type': 'application/json', ...common }),
});
export type Forms = ReturnType<typeof forms>;

const NOSNIFF: Fields = { 'X-Content-Type-Options': 'nosniff' };
const NONE = kindOf({});
const NOT_SNIFFED = kindOf(NOSNIFF);
const API = kindOf({ 'Cache-Control': 'no-store', ...NOSNIFF });

/** The headers of each response at a path, with and without a body of JSON. Those that are empty are to be filled in. */
export function commonHeaders(path: string): ReturnType<typeof kindOf> {
  if (path.startsWith('/api/') || path === '/mcp') return API;
  return path.startsWith('/docs') || path === '/openapi.json' ? NOT_SNIFFED : NONE;
}
