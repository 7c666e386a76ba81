/**
 * The column Now of the Board: a state, by its shape and a word, and in a second line until when, who waits and
 * why.
 */

import type { Child } from 'hono/jsx';
import { Fragment } from 'hono/jsx';
import type { Hold } from '../../engine/reservations/holders.ts';
import type { SlotCondition } from '../../engine/reservations/slotConditions.ts';
import type { ResourceState } from '../../engine/reservations/states.ts';
import type { BoardRow } from '../board/rows.ts';
import { takenAlongBy } from '../board/rows.ts';
import type { NameOf } from '../people.ts';
import { CONDITION_WORDS, conditionPhrase, countTexts } from '../words/conditionWords.ts';
import { number, ordinal } from '../words/numbers.ts';
import { actorText, ConditionPhrase, SinceAndWhy } from './conditionParts.tsx';
import { resourcePath } from './resourceTree.tsx';
import { When } from './when.tsx';

export interface NowProps {
  readonly row: BoardRow;
  readonly nameOf: NameOf;
  readonly isOwn: (requester: string) => boolean;
}

/** The shape and color of a state. */
export type Shape = 'free' | 'busy' | 'mine' | 'shut' | 'look' | 'out' | 'dirty';

interface Words {
  readonly shape: Shape;
  readonly word: Child;
  /** Parts of the second line. */
  readonly details: readonly Child[];
}

export const Now = (props: NowProps) => {
  const { shape, word, details } = wordsOf(props);
  return (
    <>
      <span class={`state ${shape}`}>{word}</span>
      {details.length > 0 && (
        <span class="meta">
          {details.map((one, i) => (
            <Fragment>
              {i > 0 && ' · '}
              {one}
            </Fragment>
          ))}
        </span>
      )}
    </>
  );
};

/** Free, and until when, if it is booked then. */
const Free = ({ until }: { until: string | null }) => (
  <>
    Free
    {until !== null && (
      <>
        {' '}
        <Until at={until} />
      </>
    )}
  </>
);

export const isPool = ({ capacity }: ResourceState): boolean => (capacity ?? 0) > 1;

function wordsOf(props: NowProps): Words {
  const { row, nameOf } = props;
  const { state, shut, isStale } = row;
  const hold = state.slots[0]?.hold ?? null;
  const queue = queueOf(row, nameOf);
  if (isPool(state)) return ofPool(props, queue);
  const [notReady] = state.notReady;
  if (hold === null && notReady !== undefined) return ofNotReady(notReady, queue, nameOf);
  if (hold === null && shut !== null)
    return { shape: 'shut', word: 'Not available', details: [...shutOf(row), ...queue] };
  if (hold === null) return { shape: 'free', word: <Free until={row.bookedFrom} />, details: queue };
  const along = takenAlongBy(hold);
  const isInQueue = state.place !== null;
  const details = [
    ...(isInQueue ? queue : []),
    ...(isStale ? [<SinceSpan hold={hold} />] : endingOf(hold)),
    ...(notReady === undefined ? [] : [<ConditionPhrase one={notReady} />]),
    ...(isInQueue ? [] : queue),
    ...(hold.note === undefined ? [] : [hold.note]),
  ];
  if (along !== null) return { shape: 'busy', word: <>With {along}</>, details };
  if (hold.kind === 'shared') return ofShared(props, hold, queue);
  const isMine = props.isOwn(hold.holder);
  if (isStale) return { shape: 'look', word: <>{nameOf(hold.holder)}, no end</>, details };
  return { shape: isMine ? 'mine' : 'busy', word: nameOf(hold.holder), details };
}

/** Something that nobody holds, and nobody gets. */
function ofNotReady(one: SlotCondition, queue: readonly Child[], nameOf: NameOf): Words {
  const by = one.actor === null ? [] : [`by ${actorText(one.actor, nameOf)}`];
  const isKnown = one.since !== null || one.reason !== undefined;
  return {
    shape: one.condition,
    word: CONDITION_WORDS[one.condition],
    details: [...(isKnown ? [<SinceAndWhy one={one} />] : []), ...queue, ...by],
  };
}

const SinceSpan = ({ hold }: { hold: Hold }) => (
  <>
    held <When at={hold.since} as="since" />
  </>
);

/** Names of those who share something that its row has. */
const MAX_SHARERS = 3;

function ofShared({ nameOf, isOwn }: NowProps, { sharers, count }: Hold, queue: readonly Child[]): Words {
  const names = sharers.slice(0, MAX_SHARERS).map(nameOf);
  const more = count - names.length;
  const text = `${names.join(', ')}${more > 0 ? ` and ${number(more)} more` : ''}`;
  return {
    shape: sharers.some(isOwn) ? 'mine' : 'busy',
    word: `Shared by ${number(count)}`,
    details: [...(text === '' ? [] : [text]), ...queue],
  };
}

/** Until when somebody has it. */
function endingOf({ kind, until, hasSession, isUnclaimed }: Hold): Child[] {
  if (kind !== 'own') return [];
  if (isUnclaimed)
    return [
      <>
        to be taken by <When at={until} as="clock" />
      </>,
    ];
  if (hasSession) return ['while its session lasts'];
  if (until === null) return ['no end'];
  return [<Until at={until} />];
}

const Until = ({ at }: { at: string | number }) => (
  <>
    until <When at={at} as="clock" />
  </>
);

function shutOf({ shut }: BoardRow): Child[] {
  if (shut === null) return [];
  const { by, along, untilMs, condition } = shut;
  const why = along !== null ? `goes with ${along}` : condition === null ? 'is in use' : conditionPhrase(condition);
  return [
    <>
      <a href={resourcePath(by)}>{by}</a> {why}
      {untilMs !== null && (
        <>
          , <Until at={untilMs} />
        </>
      )}
    </>,
  ];
}

/**
 * The place of the person, and when their turn is expected, short enough for the column; else how many wait, and the
 * first of them if it wants several slots.
 */
function queueOf({ state, timeline }: BoardRow, nameOf: NameOf): Child[] {
  const { waiting, place, queue } = state;
  if (waiting === 0) return [];
  if (place !== null) {
    const at = timeline.expectedMs[place - 1] ?? null;
    return [
      <b>
        you are {ordinal(place)}
        {at === null ? (
          ` of ${number(waiting)}`
        ) : (
          <>
            , about <When at={at} as="clock" />
          </>
        )}
      </b>,
    ];
  }
  const [first] = queue;
  const wants = first !== undefined && first.count > 1 ? ` for ${first.count}: ${nameOf(first.requester)}` : '';
  return [`${number(waiting)} waiting${waiting === 1 ? wants : ''}`];
}

/** The person's own slots of a pool, and until when they have them; else when its next slot becomes free. */
function ofPool({ row, isOwn, nameOf }: NowProps, queue: readonly Child[]): Words {
  const { state, shut, bookedFrom } = row;
  const { capacity, free } = state;
  const own = state.slots.flatMap(({ slot, hold }) =>
    hold?.kind === 'own' && isOwn(hold.holder) ? [{ slot, hold }] : [],
  );
  const [first] = own;
  const mine = first && (
    <b>
      you have {own.length === 1 ? first.slot : number(own.length)}
      {first.hold.until !== null && !first.hold.hasSession && (
        <>
          {' '}
          <Until at={first.hold.until} />
        </>
      )}
    </b>
  );
  const details = [
    ...(mine ? [mine] : []),
    ...shutOf(row),
    ...(free > 0 && bookedFrom !== null ? [<Until at={bookedFrom} />] : []),
    ...countTexts(state),
    ...queue,
    ...nextFree(state),
  ];
  if (free === 0 && state.held > 0) details.push(`held by ${holdersOf(state, nameOf)}`);
  const word = `${number(free)} of ${number(capacity ?? 0)} free`;
  return { shape: first ? 'mine' : shut !== null ? 'shut' : shapeOfPool(state), word, details };
}

function shapeOfPool({ free, held, outOfService }: ResourceState): Shape {
  if (free > 0) return 'free';
  return held > 0 ? 'busy' : outOfService > 0 ? 'out' : 'dirty';
}

/** When the next slot of a pool becomes free, if none is. */
function nextFree({ free, held, slots, notReady }: ResourceState): Child[] {
  if (free > 0 || held > slots.length) return [];
  const out = new Set(notReady.map(({ slot }) => slot));
  const ends = slots.flatMap(({ slot, hold }) =>
    hold === null || out.has(slot) || hold.until === null || hold.hasSession || hold.isUnclaimed ? [] : [hold.until],
  );
  const [first] = ends.sort();
  if (first === undefined) return [];
  return [
    <>
      free at <When at={first} as="clock" />
    </>,
  ];
}

/** Holders of a pool that its row names. */
const MAX_HOLDERS = 3;

function holdersOf({ slots, held }: ResourceState, nameOf: NameOf): string {
  const holders = slots.flatMap(({ hold }) => (hold?.kind === 'own' ? [nameOf(hold.holder)] : []));
  const names = [...new Set(holders)].slice(0, MAX_HOLDERS);
  const more = held - holders.filter((one) => names.includes(one)).length;
  return `${names.join(', ')}${more > 0 ? ` and ${number(more)} more` : ''}`;
}
