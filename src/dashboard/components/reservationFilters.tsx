/**
 * The search and the filters of the page of reservations.
 */
import { AT, addressOf, hasFilter, isNarrowed, type Query } from '../search/reservationsQuery.ts';
import type { Found } from '../search/searchReservations.ts';

export interface ReservationFiltersProps {
  readonly query: Query;
  /** Its types and keys can be chosen. */
  readonly found: Found;
}

export const ReservationFilters = ({ query, found }: ReservationFiltersProps) => (
  <search>
    <form class="search" action={AT}>
      <label>
        Search by resource, requester or note{' '}
        <input type="search" name="q" value={query.q} maxlength={256} data-shortcut="/" />
      </label>
      <button type="submit" id="search">
        Search
      </button>
      {isNarrowed(query) && (
        <a class="button" href={addressOf(query, { ...Cleared, page: 1 })}>
          Show all
        </a>
      )}
      <details id="filters" open={hasFilter(query)}>
        <summary>Filters</summary>
        <div class="filters">
          <Choice name="end" label="Ends" chosen={query.end} options={ENDS} />
          <Choice name="type" label="Type" chosen={query.type} options={choices(found.types, query.type)} />
          <Choice name="key" label="Key" chosen={query.key} options={choices(found.keys, query.key)} />
          <label>
            Requester <input name="requester" value={query.requester} maxlength={256} autocomplete="off" />
          </label>
          <label>
            Label of the resource{' '}
            <input name="label" value={query.label} maxlength={256} placeholder="os=android" autocomplete="off" />
          </label>
        </div>
      </details>
      <input type="hidden" name="sort" value={query.sort} />
      <input type="hidden" name="order" value={query.order} />
    </form>
  </search>
);

/** No search and no filter. */
export const Cleared = { q: '', type: '', key: '', requester: '', label: '', end: '' } as const;

const ENDS = [
  ['', 'any time'],
  ['soon', 'within 10 min'],
  ['none', 'never'],
] as const;

type Option = readonly [value: string, text: string];

/** A chosen value stays on offer, also if nothing has it any more. */
const choices = (found: readonly string[], chosen: string): Option[] => [
  ['', 'any'],
  ...[...new Set([...found, ...(chosen === '' ? [] : [chosen])])].map((one): Option => [one, one]),
];

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly chosen: string;
  readonly options: readonly Option[];
}

const Choice = ({ name, label, chosen, options }: ChoiceProps) => (
  <label>
    {label}{' '}
    <select name={name}>
      {options.map(([value, text]) => (
        <option value={value} selected={value === chosen}>
          {text}
        </option>
      ))}
    </select>
  </label>
);
