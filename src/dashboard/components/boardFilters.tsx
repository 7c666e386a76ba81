/**
 * The part above the rows of the Board: its saved views as tabs, one search field, and a menu for each label key and
 * for the status. All of it are links and forms, which work without a script.
 */
import type { Child } from 'hono/jsx';
import {
  BOARD,
  type BoardQuery,
  fieldsOf,
  isFiltered,
  keyOfLabel,
  linkTo,
  type Span,
  STATUSES,
  unfiltered,
  withLabel,
  withStatus,
} from '../board/query.ts';
import type { Board } from '../board/readBoard.ts';
import { MAX_SAVED, type SavedView, VIEWS_AT } from '../board/savedViews.ts';
import { dayText } from '../words/moments.ts';
import { number } from '../words/numbers.ts';
import { UTC } from '../zone.ts';
import { Icon } from './icon.tsx';

/** Label keys that have a menu of their own. The others share one. */
const MENUS = 3;
/** Label keys that the menu of the others has. */
const MAX_OTHERS = 12;

export const SavedViews = ({ board, saved }: { board: Board; saved: readonly SavedView[] }) => {
  const { query, counts } = board;
  const all = unfiltered(query);
  const look = { ...all, on: new Set(['look'] as const) };
  const free = { ...all, on: new Set(['free'] as const) };
  const here = keyOf(query);
  const canSave = isFiltered(query) && saved.length < MAX_SAVED && !saved.some((one) => keyOf(one.query) === here);
  return (
    <nav class="tabs views" aria-label="Saved views" data-live="views">
      <Tab to={all} count={counts.all} isHere={!isFiltered(query)}>
        Everything
      </Tab>
      <Tab to={free} count={counts.free} isHere={keyOf(free) === here} isOfPhones>
        Free
      </Tab>
      {saved.map((one) => (
        <Tab to={{ ...one.query, view: query.view }} count={board.count(one.query)} isHere={keyOf(one.query) === here}>
          {one.name}
        </Tab>
      ))}
      {(counts.look > 0 || query.on.has('look')) && (
        <Tab to={look} count={counts.look} isHere={keyOf(look) === here}>
          Needs a look
        </Tab>
      )}
      {canSave && <SaveForm query={query} />}
      {saved.some((one) => keyOf(one.query) === here) && <ForgetForm query={query} />}
    </nav>
  );
};

/** Two queries with the same key are the same view, however it is shown. */
const keyOf = ({ q, labels, on }: BoardQuery): string => JSON.stringify([q, labels.toSorted(), [...on].sort()]);

interface TabProps {
  readonly to: BoardQuery;
  readonly count: number;
  readonly isHere: boolean;
  /** True if wider pages say it elsewhere. */
  readonly isOfPhones?: boolean;
  readonly children: Child;
}

const Tab = ({ to, count, isHere, isOfPhones = false, children }: TabProps) => (
  <a href={linkTo(to)} aria-current={isHere ? 'true' : undefined} class={isOfPhones ? 'phone-only' : undefined}>
    {children} <span class="meta">{number(count)}</span>
  </a>
);

const SaveForm = ({ query }: { query: BoardQuery }) => (
  <details class="facet" id="save-view" name="menu">
    <summary>
      <Icon name="plus" />
      Save this view
    </summary>
    <form class="menu" method="post" action={linkTo(query, {}, VIEWS_AT)}>
      <label>
        Name of the view <input name="name" required maxlength={40} autocomplete="off" />
      </label>
      <button type="submit" class="primary" id="save">
        Save for this browser
      </button>
    </form>
  </details>
);

const ForgetForm = ({ query }: { query: BoardQuery }) => (
  <form method="post" action={linkTo(query, {}, `${VIEWS_AT}/forget`)}>
    <button type="submit" class="quiet" id="forget">
      Forget this view
    </button>
  </form>
);

const SPANS: readonly (readonly [Span, string])[] = [
  ['today', 'Today'],
  ['week', 'Next 7 days'],
  ['next', '7 days later'],
];

/** The day that the timeline shows, and the spans that it can show. */
const Times = ({ board: { query, frame, isBookable } }: { board: Board }) => (
  <div class="end">
    <span class="meta" data-live="day">
      {query.span === 'today' && `${dayText(frame.nowMs, frame.zone)}, `}
      {frame.zone === UTC ? 'UTC' : 'your time'}
    </span>
    {isBookable && (
      <nav class="seg" aria-label="Span">
        {SPANS.map(([span, text]) => (
          <a href={linkTo(query, { span })} aria-current={query.span === span ? 'true' : undefined}>
            {text}
          </a>
        ))}
      </nav>
    )}
  </div>
);

export const Filters = ({ board }: { board: Board }) => {
  const { query, labelKeys } = board;
  const chosen = new Set(query.labels.map(keyOfLabel));
  const turnedKey = keyOfLabel(query.turned);
  // A key that is filtered by has a menu of its own, also if no resource has it.
  const own = [...new Set([...labelKeys.slice(0, MENUS), ...chosen])];
  const others = labelKeys.filter((key) => !own.includes(key)).slice(0, MAX_OTHERS);
  return (
    <search class="filter-bar">
      <form action={BOARD}>
        <label class="field">
          <Icon name="search" />
          <span class="out-of-sight">Filter by name, label, holder or note</span>
          <input type="search" name="q" value={query.q} maxlength={256} placeholder="Name, label, holder, note" />
        </label>
        {fieldsOf({ ...query, q: '', page: 1, isSelected: false }).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button type="submit" id="search" class="out-of-sight">
          Search
        </button>
      </form>
      <div class="facets">
        {own.map((key) => (
          <Facet
            query={query}
            name={key}
            isOn={chosen.has(key)}
            isOpen={key === turnedKey}
            text={facetText(query, key)}
          >
            <Values board={board} name={key} />
          </Facet>
        ))}
        <Facet
          query={query}
          name="Status"
          isOn={query.on.size > 0}
          isOpen={STATUSES.some(([name]) => name === query.turned)}
          text={statusText(query)}
        >
          {STATUSES.map(([name, text]) => (
            <Choice query={query} to={{ on: withStatus(query, name), turned: name }} isOn={query.on.has(name)}>
              {text}
            </Choice>
          ))}
        </Facet>
        {others.length > 0 && (
          <Facet query={query} name="Label" isOn={false} isOpen={others.includes(turnedKey)} text="Label" icon="plus">
            {others.map((key) => (
              <>
                <b>{key}</b>
                <Values board={board} name={key} />
              </>
            ))}
          </Facet>
        )}
        {isFiltered(query) && (
          <a class="button quiet" href={linkTo(unfiltered(query))}>
            Clear<span class="out-of-sight"> all filters</span>
          </a>
        )}
      </div>
      {query.view === 'timeline' && <Times board={board} />}
    </search>
  );
};

/** `OS: android or ios` */
function facetText({ labels }: BoardQuery, key: string): string {
  const values = labels.filter((label) => keyOfLabel(label) === key).map((label) => label.slice(key.length + 1));
  const title = key.length < 3 ? key.toUpperCase() : key.charAt(0).toUpperCase() + key.slice(1);
  return values.length === 0 ? title : `${title}: ${values.join(' or ')}`;
}

function statusText({ on }: BoardQuery): string {
  const names = STATUSES.filter(([name]) => on.has(name)).map(([, text]) => text.toLowerCase());
  return names.length === 0 ? 'Status' : `Status: ${names.join(' and ')}`;
}

interface FacetProps {
  readonly query: BoardQuery;
  readonly name: string;
  readonly isOn: boolean;
  readonly isOpen: boolean;
  readonly text: string;
  readonly icon?: 'plus';
  readonly children: Child;
}

const Facet = ({ query, name, isOn, isOpen, text, icon, children }: FacetProps) => (
  <details class={isOn ? 'facet on' : 'facet'} id={`facet-${name}`} name="menu" open={isOpen}>
    <summary>
      {icon && <Icon name={icon} />}
      {text}
      {!icon && <Icon name="down" />}
    </summary>
    <div class="menu">
      {children}
      {isOpen && <a href={linkTo(query)}>Done</a>}
    </div>
  </details>
);

const Values = ({ board: { query, countValues }, name }: { board: Board; name: string }) => {
  const values = countValues(name);
  const chosen = query.labels
    .filter((label) => keyOfLabel(label) === name)
    .map((label) => label.slice(name.length + 1));
  const all = [...new Set([...values.keys(), ...chosen])].sort(BY_NUMBER.compare);
  return (
    <>
      {all.map((value) => (
        <Choice
          query={query}
          to={{ labels: withLabel(query, `${name}=${value}`), turned: `${name}=${value}` }}
          isOn={chosen.includes(value)}
          count={values.get(value) ?? 0}
        >
          {value}
        </Choice>
      ))}
    </>
  );
};

/** Sorts `9` before `11`. */
const BY_NUMBER = new Intl.Collator('en', { numeric: true });

interface ChoiceProps {
  readonly query: BoardQuery;
  readonly to: Pick<BoardQuery, 'turned'> & Partial<BoardQuery>;
  readonly isOn: boolean;
  readonly count?: number;
  readonly children: Child;
}

/** Turns a filter on or off. The page that it opens has the same menu open, and the focus here. */
const Choice = ({ query, to, isOn, count, children }: ChoiceProps) => (
  <a href={linkTo(query, to)} aria-current={isOn ? 'true' : undefined} autofocus={to.turned === query.turned}>
    {children}
    {count !== undefined && <span class="meta">{number(count)}</span>}
    {isOn && <span class="out-of-sight">: on. Turn it off</span>}
  </a>
);
