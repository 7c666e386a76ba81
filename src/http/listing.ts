/**
 * Answers with a list as one JSON array, read and written page by page, so that its length costs no memory. A list is
 * charged one read for each 1,000 that are looked at, all before its first byte is sent: then a fault still has its own
 * status. Large rows cost more.
 */
import type { Context } from 'hono';
import type { Page } from '../engine/definitions/list.ts';
import { onceEnded } from '../events/onceEnded.ts';
import type { AppEnv, HttpDeps } from './env.ts';

/** What one read pays for; a page is short of rows if these are large. */
const LOOKED_AT_PER_READ = 1000;
const PAGES_PER_READ = 3;

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
  if (first.done === true || first.value.isLast)
    return c.body(writer.write(first.done === true ? [] : first.value.rows) + writer.end(), 200, headers);
  onceEnded(c.env.outgoing, listings.begin(credential.tenant));
  const further = Math.ceil(first.value.total / LOOKED_AT_PER_READ) - 1;
  if (further > 0) await reads.charge(credential, further);
  const debit = () => reads.debit(credential);
  return c.body(ReadableStream.from(texts(first, pages, writer, 1 + Math.max(0, further), debit)), 200, headers);
}

/** @param paid reads that were charged for it. What it takes beyond that is charged as it goes. */
async function* texts<Row>(
  first: IteratorResult<Page<Row>>,
  rest: AsyncGenerator<Page<Row>>,
  writer: ListWriter<Row>,
  paid: number,
  debit: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let looks = 0;
  let reads = paid;
  for (let page = first; page.done !== true; page = await rest.next()) {
    if (++looks > reads * PAGES_PER_READ) {
      reads++;
      await debit();
    }
    const text = writer.write(page.value.rows);
    if (text !== '') yield encoder.encode(text);
  }
  yield encoder.encode(writer.end());
}
