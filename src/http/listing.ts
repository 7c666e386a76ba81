/**
 * Answers with a list as one JSON array or CSV, written page by page so that its length costs no memory. Reads are
 * charged before the first byte is sent, so that a failure until then still has its own status.
 */
import type { Context } from 'hono';
import { onceEnded } from '../events/onceEnded.ts';
import type { OperationDeps } from '../operations/deps.ts';
import type { OpenList } from '../operations/lists.ts';
import { chargeRead } from '../operations/read.ts';
import type { AppEnv } from './env.ts';

/** Writes the text of a list, from its beginning to its end, from rows that come in parts. */
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

const JSON_HEADERS = { 'Content-Type': 'application/json' };

/**
 * @param open charges the list and reads its first page. A HEAD costs one read and does not call it
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export async function answerList<Row>(
  c: Context<AppEnv>,
  deps: Pick<OperationDeps, 'activity' | 'reads'>,
  open: () => Promise<OpenList<Row>>,
  writer: ListWriter<Row>,
  headers: Readonly<Record<string, string>> = JSON_HEADERS,
): Promise<Response> {
  if (c.req.method === 'HEAD') {
    c.set('quota', await chargeRead(deps, c.get('credential'), null));
    return c.body(null, 200, headers);
  }
  const list = await open();
  c.set('quota', list.quota);
  if (list.isShort) {
    let text = '';
    for await (const rows of list.pages) text += writer.write(rows);
    return c.body(text + writer.end(), 200, headers);
  }
  onceEnded(c.env.outgoing, list.close);
  return c.body(ReadableStream.from(encode(list.pages, writer)), 200, headers);
}

async function* encode<Row>(
  pages: AsyncGenerator<readonly Row[]>,
  writer: ListWriter<Row>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const rows of pages) {
    const text = writer.write(rows);
    if (text !== '') yield encoder.encode(text);
  }
  yield encoder.encode(writer.end());
}
