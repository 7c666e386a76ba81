/**
 * GET /api/v1/Reservation/history: lists ended reservations and waits, as JSON page by page, or all of them as CSV
 * (docs/specification.md#history).
 */
import { type HistoryEntry, HistoryPage, HistoryQuery } from '../../contract/history.ts';
import type { PastEntry } from '../../domain/history.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import { exportHistory, readHistory } from '../../operations/history.ts';
import { CSV, csvHeaders, csvRows, wantsCsv } from '../call/csv.ts';
import { answerList } from '../call/listing.ts';
import { operation } from '../call/operation.ts';
import { asIs, charged } from '../call/reply.ts';
import { type Route, route } from '../call/route.ts';
import { answer, parameterOperation } from '../openapi/responses.ts';

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
  'booking',
] as const satisfies readonly (keyof HistoryEntry)[];

const json = answer('The latest entries first.', HistoryPage);
const csv = { schema: { type: 'string' as const, example: `${COLUMNS.join(',')}\r\n` } };

const responses = {
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

export const historyRoute = (deps: Pick<OperationDeps, 'activity' | 'reads' | 'listings' | 'history'>): Route =>
  route(
    historyOperation,
    async (call) => {
      const { credential } = call;
      const { cursor, limit, format, ...filter } = call.query;
      if (wantsCsv(call, format)) {
        const open = () => exportHistory(deps, credential, filter);
        return answerList(call, deps, open, csvOfEntries(), csvHeaders('history'));
      }
      const { result, quota } = await readHistory(deps, credential, filter, cursor, limit);
      const page: HistoryPage = { entries: result.entries.map(toEntry), next: result.next };
      return charged({ result: page, quota }, call);
    },
    asIs,
  );

/** Several slots share a cell, one on each line of it. */
const csvOfEntries = () =>
  csvRows(COLUMNS, (past: PastEntry) => {
    const { slots, ...rest } = toEntry(past);
    const texts = { ...rest, slots: slots.join('\n') };
    return COLUMNS.map((column) => String(texts[column] ?? ''));
  });

const PREFIXES = { RESERVATION: 'R', WAIT: 'W', OUT_OF_SERVICE: 'O' } as const;

const toEntry = ({ number, reservedAt, endedAt, ...past }: PastEntry): HistoryEntry => {
  return {
    ...past,
    id: `${PREFIXES[past.kind]}${number}`,
    slots: [...past.slots],
    fencingToken: past.kind === 'RESERVATION' ? number : null,
    reservedAt: reservedAt === null ? null : new Date(reservedAt).toISOString(),
    endedAt: new Date(endedAt).toISOString(),
  };
};
