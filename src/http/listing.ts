/**
 * Answers with a list as one JSON array, read and written page by page, so that its length costs no memory. A list is charged one read for each
 * 1,000 that are looked at, all before its first byte is sent: then a fault still has its own status.
 */
import type { Context } from 'hono';
import type { Page } from '../engine/definitions.ts';
import type { AppEnv, HttpDeps } from './env.ts';

/** What one read pays for. */
const LOOKED_AT_PER_READ = 1000;

/** Writes the text of an array, its brackets included, from rows that come in parts. */
export interface ListWriter<Row> {
  write(rows: readonly Row[]): string;
  end(): string;
}

/** Writes each row as JSON. */
export function jsonRows<Row>(): ListWriter<Row> {
  let separator = '[';
  return {
    write: (rows) => {
      let text = '';
      for (const row of rows) {
        text += separator + JSON.stringify(row);
        separator = ',';
      }
      return text;
    },
    end: () => (separator === '[' ? '[]' : ']'),
  };
}

/**
 * @param pages read from the first on when the list has been charged
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export async function answerList<Row>(
  c: Context<AppEnv>,
  { reads, listings }: Pick<HttpDeps, 'reads' | 'listings'>,
  pages: AsyncGenerator<Page<Row>>,
  writer: ListWriter<Row>,
): Promise<Response> {
  const credential = c.get('credential');
  await reads.charge(credential);
  const headers = { 'Content-Type': 'application/json' };
  if (c.req.method === 'HEAD') return c.body(null, 200, headers);
  const first = await pages.next();
  const further = first.done === true ? 0 : Math.ceil(first.value.total / LOOKED_AT_PER_READ) - 1;
  if (further <= 0) return c.body(ReadableStream.from(texts(first, pages, writer, () => {})), 200, headers);
  const end = listings.begin(credential.tenant);
  try {
    await reads.charge(credential, further);
  } catch (error) {
    end();
    throw error;
  }
  return c.body(ReadableStream.from(texts(first, pages, writer, end)), 200, headers);
}

async function* texts<Row>(
  first: IteratorResult<Page<Row>>,
  rest: AsyncGenerator<Page<Row>>,
  writer: ListWriter<Row>,
  end: () => void,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  try {
    for (let page = first; page.done !== true; page = await rest.next()) {
      const text = writer.write(page.value.rows);
      if (text !== '') yield encoder.encode(text);
    }
    yield encoder.encode(writer.end());
  } finally {
    end();
  }
}
