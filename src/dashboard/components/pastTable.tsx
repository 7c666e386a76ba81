/**
 * A table of who had what, the latest first, with a head for each day. Without scripts, days are those of UTC.
 */
import type { Child } from 'hono/jsx';
import type { PastEntry } from '../../domain/history.ts';
import { span } from '../assets/span.js';
import type { NameOf } from '../people.ts';
import { howItEnded } from '../words/auditSentences.ts';
import { actorText } from './conditionParts.tsx';
import { resourcePath } from './resourceTree.tsx';
import { StateMark } from './stateMark.tsx';
import { Scroll } from './tableParts.tsx';
import { When } from './when.tsx';

/** Somebody who has it now, or an entry of the history. */
export type PastRow = Pick<
  PastEntry,
  'number' | 'requester' | 'resource' | 'slots' | 'mode' | 'note' | 'reservedAt' | 'waitedMs' | 'apiKeyLabel' | 'actor'
> & {
  /** null: it is held now */
  readonly endedAt: number | null;
  readonly ending: PastEntry['ending'] | null;
};

export interface PastTableProps {
  readonly label: string;
  readonly rows: readonly PastRow[];
  readonly nameOf: NameOf;
  /** The resource that all rows are of; absent: of several, which have a column. */
  readonly of?: string | undefined;
  /** True if all rows are of the person. Then the resource is the head of a row. */
  readonly isOwn?: boolean;
  /** True if times have seconds. */
  readonly isExact?: boolean;
  /** Shown in the last column, behind the ending. */
  readonly besides?: (row: PastRow) => Child;
  /** Said if there are no rows. */
  readonly none?: string;
}

const NONE = 'No reservation has ended, as far as the history goes back.';

export const PastTable = (props: PastTableProps) => {
  const { label, rows, nameOf, of, isOwn = false, isExact = false, besides = () => null, none = NONE } = props;
  if (rows.length === 0) return <p class="pad quiet">{none}</p>;
  const hasSlots = of !== undefined && rows.some(({ slots }) => slots.some((slot) => slot !== of));
  const what = of === undefined ? ['Resource'] : hasSlots ? ['Slot'] : [];
  const columns = ['From', 'To', ...(isOwn ? [] : ['Who']), ...what, 'What for'];
  const all = [...columns, ...(isExact ? ['Waited'] : []), 'For', 'Ended'];
  const days = new Map<string, PastRow>();
  for (const row of rows) if (!days.has(dayOf(timeOf(row)))) days.set(dayOf(timeOf(row)), row);
  return (
    <Scroll label={label}>
      <table class="past">
        <thead>
          <tr>
            {all.map((name) => (
              <th scope="col" class={NUMBERS.has(name) ? 'num' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody data-days={all.length}>
          {rows.map((row) => (
            <>
              {days.get(dayOf(timeOf(row))) === row && <DayHead at={timeOf(row)} columns={all.length} />}
              <Row {...{ row, nameOf, of, hasSlots, isOwn, isExact, besides }} />
            </>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
};

/** Slots that a row names. */
const MAX_SLOTS = 3;

const NUMBERS: ReadonlySet<string> = new Set(['For', 'Waited']);

const timeOf = ({ endedAt, reservedAt }: PastRow): number => endedAt ?? Math.max(reservedAt ?? 0, Date.now());

/** The day of a time, in UTC. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The head of a day. assets/days.js puts heads where days begin in the zone of the browser. */
export const DayHead = ({ at, columns }: { at: number; columns: number }) => (
  <tr class="day">
    <th scope="colgroup" colspan={columns}>
      {dayText(dayOf(at))}
    </th>
  </tr>
);

const dayText = (day: string): string =>
  day === new Date().toISOString().slice(0, 10) ? 'Today, UTC' : `${DAY.format(new Date(day))}, UTC`;

interface RowProps extends Pick<PastTableProps, 'nameOf' | 'of'> {
  readonly row: PastRow;
  readonly hasSlots: boolean;
  readonly isOwn: boolean;
  readonly isExact: boolean;
  readonly besides: (row: PastRow) => Child;
}

const Row = ({ row, nameOf, of, hasSlots, isOwn, isExact, besides }: RowProps) => {
  const { resource, slots, mode, note, reservedAt, endedAt, waitedMs, number } = row;
  const own = slots.filter((one) => one !== resource);
  const slot = own.length > MAX_SLOTS ? `${own.length} slots` : own.join(', ');
  const as = isExact ? 'second' : 'time';
  return (
    <tr id={`past-${endedAt === null ? 'now' : 'to'}-${number}`} data-day={timeOf(row)}>
      <td class="from">
        <When at={reservedAt} as={as} />
      </td>
      <td class="to">
        <When at={endedAt} as={as} />
      </td>
      <th scope="row">{isOwn ? <What resource={resource} slot={slot} /> : <Who {...{ row, nameOf, isExact }} />}</th>
      {of === undefined && !isOwn && (
        <td class="what">
          <What resource={resource} slot={slot} />
        </td>
      )}
      {hasSlots && (
        <td class="what">
          <span class="along">{slot}</span>
        </td>
      )}
      <td class="note">
        {note ?? ''}
        {mode === 'SHARED' && <span class="along">shared</span>}
      </td>
      {isExact && <td class="num waited">{waitedMs === null ? '' : span(waitedMs)}</td>}
      <td class="num">
        {endedAt === null ? 'now' : reservedAt === null ? 'never had it' : span(endedAt - reservedAt)}
      </td>
      <td class="ended">
        {row.ending !== null && `${howItEnded(row)} `}
        {besides(row)}
      </td>
    </tr>
  );
};

const What = ({ resource, slot }: { resource: string; slot: string }) => (
  <>
    <a href={resourcePath(resource)}>{resource}</a>
    {slot !== '' && <span class="along">{slot}</span>}
  </>
);

const Who = ({ row, nameOf, isExact }: Pick<RowProps, 'row' | 'nameOf' | 'isExact'>) =>
  row.ending === 'OUT_OF_SERVICE' ? (
    <>
      <StateMark mark="out" /> <span class="meta">by {actorText(row.requester, nameOf)}</span>
    </>
  ) : (
    <>
      {nameOf(row.requester)}
      {isExact && row.apiKeyLabel && <span class="meta"> key {row.apiKeyLabel}</span>}
    </>
  );
