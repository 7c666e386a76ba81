/**
 * Common parts of pages and documents for browsers: refused requests, fixed content, and large forms.
 */

import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import { createMiddleware } from 'hono/factory';
import { HoldfastError } from '../domain/errors.ts';
import { wholeBody } from './call/body.ts';
import type { AppEnv } from './deps.ts';

/** Returns true if a request may change something, by its method. */
export const isChange = (method: string): boolean => !['GET', 'HEAD'].includes(method);

/**
 * Refuses requests that another site makes a browser send, since the browser adds the session cookie to them
 * (docs/specification.md#dashboard-and-sign-in).
 * @throws HoldfastError forbidden if the request comes from another site
 */
export function refuseForeignOrigin(c: Context): void {
  const site = c.req.header('Sec-Fetch-Site');
  const origin = c.req.header('Origin');
  const isOurs =
    site === undefined
      ? origin !== undefined && URL.canParse(origin) && new URL(origin).host === c.req.header('Host')
      : site === 'same-origin';
  if (!isOurs) throw new HoldfastError('forbidden', 'This request comes from another site.');
}

const compress = promisify(gzip);

export interface FixedContent {
  readonly type: string;
  readonly tag: string;
  readonly plain: string | Uint8Array<ArrayBuffer>;
  readonly compressed: Uint8Array<ArrayBuffer>;
}

/**
 * Serves content that stays the same while an instance runs, such as the OpenAPI document. Anybody can request it, so
 * it is compressed once: hono/compress would do so for each request. With hono/etag before it, clients that have it get
 * a 304.
 * @param type its Content-Type
 */
export async function fixedContent(plain: FixedContent['plain'], type: string): Promise<FixedContent> {
  return { type, tag: `W/"${hash('sha256', plain).slice(0, 32)}"`, plain, compressed: await compress(plain) };
}

export function respondWith(c: Context, content: FixedContent, headers: Record<string, string> = {}): Response {
  const { type, tag, plain, compressed } = content;
  const own = { 'Content-Type': type, ETag: tag, Vary: 'Accept-Encoding', ...headers };
  const takes = accepts(c, { header: 'Accept-Encoding', supports: ['gzip'], default: 'identity' });
  return takes === 'gzip' ? c.body(compressed, 200, { ...own, 'Content-Encoding': 'gzip' }) : c.body(plain, 200, own);
}

/**
 * Reads a large form completely before the dashboard parses it. The limits of unknown callers apply, since the session
 * is not verified yet.
 * @param maxBytes a larger form is not read: the dashboard refuses it if it declares its length
 */
export const wholeForm = (maxBytes: number) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const { incoming } = c.env;
    if (incoming.readBody === undefined || Number(c.req.header('Content-Length') ?? 0) > maxBytes) return next();
    incoming.rawBody = await wholeBody(incoming.readBody(undefined, maxBytes), maxBytes);
    await next();
    incoming.endBody?.();
  });
