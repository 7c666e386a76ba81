/**
 * GET /api/v1/Reservation/history: lists ended reservations and waits, as JSON page by page, or all of them as CSV
 * (docs/specification.md#history).
 */
import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import { type HistoryEntry, HistoryPage, HistoryQuery } from '../../../contract/history.ts';
import { withRules } from '../../../contract/sizes.ts';
import type { PastEntry } from '../../../domain/history.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { exportHistory, readHistory } from '../../../operations/history.ts';
import { CSV, csvHeaders, csvRows, wantsCsv } from '../../csv.ts';
import type { BodyDeps } from '../../deps.ts';
import type { AppEnv } from '../../env.ts';
import { answerList } from '../../listing.ts';
import { operation } from '../../operation.ts';
import { answer, parameterOperation } from '../../responses.ts';

const COLUMNS = [
  'id',
  'kind',
  'resource',
  'requestedName',
  'slots',
  'requester',
  'resourceType',
  'mode',
  'apiKeyLabel',
  'note',
  'fencingToken',
  'waitedMs',
  'reservedAt',
  'endedAt',
  'ending',
  'actor',
] as const satisfies readonly (keyof HistoryEntry)[];

const json = answer('The latest entries first.', HistoryPage);
const csv = { schema: { type: 'string' as const, example: `${COLUMNS.join(',')}\r\n` } };

// Of the wider type that lets the handler answer with a stream.
const responses: RouteConfig['responses'] = {
  200: { ...json, content: { ...json.content, [CSV]: csv } },
  ...parameterOperation,
};

export const historyOperation = operation({
  method: 'get',
  path: '/api/v1/Reservation/history',
  operationId: 'listHistory',
  right: 'read',
  tags: ['Reservation'],
  summary: 'List ended reservations and waits, the latest first',
  description:
    'The tier decides how long they are kept. With `Accept: text/csv`, or `format=csv`, the response has all entries as CSV. That costs one read for each 1,000 entries.',
  request: { query: HistoryQuery },
  responses,
});

export const historyRoute = (deps: BodyDeps & Pick<OperationDeps, 'activity' | 'reads' | 'listings' | 'history'>) => {
  const route = { ...historyOperation, request: { query: withRules(HistoryQuery, deps) } };
  return new OpenAPIHono<AppEnv>().openapi(route, async (c) => {
    const { cursor, limit, format, ...filter } = c.req.valid('query');
    const credential = c.get('credential');
    if (wantsCsv(c, format))
      return answerList(c, deps, () => exportHistory(deps, credential, filter), csvOfEntries(), csvHeaders('history'));
    const { result, quota } = await readHistory(deps, credential, filter, cursor, limit);
    c.set('quota', quota);
    return c.json({ entries: result.entries.map(toEntry), next: result.next } satisfies HistoryPage, 200);
  });
};

/** Several slots share a cell, one on each line of it. */
const csvOfEntries = () =>
  csvRows(COLUMNS, (past: PastEntry) => {
    const { slots, ...rest } = toEntry(past);
    const texts = { ...rest, slots: slots.join('\n') };
    return COLUMNS.map((column) => String(texts[column] ?? ''));
  });

const toEntry = ({ number, reservedAt, endedAt, ...past }: PastEntry): HistoryEntry => {
  const isWait = past.kind === 'WAIT';
  return {
    ...past,
    id: `${isWait ? 'W' : 'R'}${number}`,
    slots: [...past.slots],
    fencingToken: isWait ? null : number,
    reservedAt: reservedAt === null ? null : new Date(reservedAt).toISOString(),
    endedAt: new Date(endedAt).toISOString(),
  };
};
