/**
 * Answers with a list as one JSON array or CSV, written page by page so that its length costs no memory. Reads are
 * charged before the first byte is sent, so that a failure until then still has its own status.
 */
import { onceEnded } from '../../events/onceEnded.ts';
import { chargeRead } from '../../operations/charging.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import type { OpenList } from '../../operations/lists.ts';
import type { Call } from './call.ts';
import { NONE, type Reply } from './reply.ts';

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

/**
 * @param open charges the list and reads its first page. A HEAD costs one read and does not call it
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export async function answerList<Row>(
  call: Call,
  deps: Pick<OperationDeps, 'activity' | 'reads'>,
  open: () => Promise<OpenList<Row>>,
  writer: ListWriter<Row>,
  headers = NONE,
): Promise<Reply> {
  if (call.method === 'HEAD') {
    call.quota = await chargeRead(deps, call.credential, null);
    return { status: 200, body: null, headers };
  }
  const list = await open();
  call.quota = list.quota;
  if (list.isShort) {
    let text = '';
    for await (const rows of list.pages) text += writer.write(rows);
    return { status: 200, body: text + writer.end(), headers };
  }
  onceEnded(call.c.env.outgoing, list.close);
  return { status: 200, body: ReadableStream.from(encode(list.pages, writer)), headers };
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

/** The cursor of a page: where the next one begins. @returns null if the page is the last one */
export function nextOf<Row>(page: readonly Row[], limit: number, cursorOf: (last: Row) => string): string | null {
  const last = page.at(-1);
  return last === undefined || page.length < limit ? null : cursorOf(last);
}
