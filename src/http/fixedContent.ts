/**
 * Serves content that stays the same while an instance runs, such as the OpenAPI document. Anybody can request it, so
 * it is compressed once: hono/compress would do so for each request. With hono/etag before it, clients that have it get
 * a 304.
 */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'hono';
import { accepts } from 'hono/accepts';

const compress = promisify(gzip);

export interface FixedContent {
  readonly type: string;
  readonly tag: string;
  readonly plain: string | Uint8Array<ArrayBuffer>;
  readonly compressed: Uint8Array<ArrayBuffer>;
}

/** @param type its Content-Type */
export async function fixedContent(plain: FixedContent['plain'], type: string): Promise<FixedContent> {
  return { type, tag: `W/"${hash('sha256', plain).slice(0, 32)}"`, plain, compressed: await compress(plain) };
}

export function respondWith(c: Context, content: FixedContent, headers: Record<string, string> = {}): Response {
  const { type, tag, plain, compressed } = content;
  const own = { 'Content-Type': type, ETag: tag, Vary: 'Accept-Encoding', ...headers };
  const takes = accepts(c, { header: 'Accept-Encoding', supports: ['gzip'], default: 'identity' });
  return takes === 'gzip' ? c.body(compressed, 200, { ...own, 'Content-Encoding': 'gzip' }) : c.body(plain, 200, own);
}
