/**
 * Who has a resource now, until when and since when, and what is in the way of others.
 */
import type { Child } from 'hono/jsx';
import { SYSTEM_REQUESTER_PREFIX } from '../../domain/names.ts';
import type { Hold } from '../../engine/reservations/holders.ts';
import type { SlotCondition } from '../../engine/reservations/slotConditions.ts';
import type { NameOf } from '../people.ts';
import { capacityOf, expectedForNext, factsOf } from '../resource/facts.ts';
import type { Details } from '../resource/resourceDetails.ts';
import { CONDITION_WORDS, countTexts } from '../words/conditionWords.ts';
import { waitingText } from '../words/waitingWords.ts';
import { actorText, SinceAndWhy } from './conditionParts.tsx';
import { NotAvailable } from './holdSentence.tsx';
import { Person } from './person.tsx';
import { resourcePath } from './resourceTree.tsx';
import { type Mark, StateMark } from './stateMark.tsx';
import { When } from './when.tsx';

export const NowCard = ({ details }: { details: Details }) => {
  const { state, inTheWay, nameOf } = details;
  const isSingle = capacityOf(state) === 1;
  const [first] = state.holds;
  const hold = isSingle ? first?.hold : undefined;
  const notReady = isSingle ? state.notReady[0] : undefined;
  return (
    <section class="card" aria-labelledby="now-title" data-live="now">
      <header>
        <h2 id="now-title">Now</h2>
        <span class="end">
          <StateMark mark={markOf(details)} />
        </span>
      </header>
      {hold === undefined ? (
        <NobodyPart details={details} />
      ) : hold.kind === 'own' ? (
        <HolderPart hold={hold} nameOf={nameOf} />
      ) : (
        <SharedPart hold={hold} shares={first?.shares ?? []} nameOf={nameOf} />
      )}
      {hold !== undefined && notReady !== undefined && (
        <p class="pad afterwards">
          <StateMark mark={notReady.condition} />
          {notReady.since !== null && ' '}
          <SinceAndWhy one={notReady} />. Nobody else gets it until it is{' '}
          {notReady.condition === 'out' ? 'back in service' : 'clean'}.
        </p>
      )}
      {inTheWay !== null && (hold === undefined || hold.kind !== 'own') && (
        <div class="pad">
          <NotAvailable by={inTheWay} />
        </div>
      )}
    </section>
  );
};

function markOf({ state, inTheWay, nameOf }: Details): Mark {
  const capacity = capacityOf(state);
  if (capacity === 0) return 'none';
  if (state.resource === null) return 'shut';
  const [first] = state.holds;
  if (capacity === 1 && first?.hold.kind === 'own' && nameOf(first.hold.holder) === 'You') return 'mine';
  if (state.free === 0) return state.held > 0 ? 'held' : state.outOfService > 0 ? 'out' : 'dirty';
  return inTheWay === null ? 'free' : 'shut';
}

interface PartProps {
  readonly who: Child;
  readonly big?: Child;
  readonly small?: Child;
  readonly meter?: Child;
}

const Part = ({ who, big, small, meter }: PartProps) => (
  <div class="now">
    <div>{who}</div>
    {big !== undefined && (
      <div>
        <p class="big">{big}</p>
        {small !== undefined && <p class="meta">{small}</p>}
      </div>
    )}
    {meter}
  </div>
);

const HolderPart = ({ hold, nameOf }: { hold: Hold; nameOf: NameOf }) => {
  const { holder, keyLabel, note, since, until, isUnclaimed, hasSession } = hold;
  return (
    <Part
      who={
        <>
          <p class="big">
            <Person requester={holder} nameOf={nameOf} keyLabel={keyLabel} />
          </p>
          {note !== undefined && <p class="note">{note}</p>}
        </>
      }
      big={
        until === null ? (
          'no end'
        ) : (
          <>
            {isUnclaimed ? 'granted, take it by ' : 'until '}
            <When at={until} as="clock" />
          </>
        )
      }
      small={
        <>
          {until !== null && (
            <>
              in <When at={until} as="in" />
              {hasSession && ', unless its session is renewed'}
              {since !== null && ', '}
            </>
          )}
          {since !== null && (
            <>
              since <When at={since} as="clock" />
            </>
          )}
        </>
      }
      meter={since !== null && until !== null && <Meter since={Date.parse(since)} until={Date.parse(until)} />}
    />
  );
};

const MINUTE_MS = 60_000;

/** How much of the lease is over. */
export const Meter = ({ since, until }: { since: number; until: number }) => {
  const share = Math.min(1, Math.max(0, (Date.now() - since) / Math.max(1, until - since)));
  const minutes = (ms: number) => Math.max(0, Math.round(ms / MINUTE_MS));
  return (
    <svg
      class="progress"
      role="img"
      aria-label={`${minutes(Date.now() - since)} of ${minutes(until - since)} minutes are over`}
    >
      <rect class="track" width="100%" height="6" rx="3" />
      <rect class="done" width={`${Math.round(share * 100)}%`} height="6" rx="3" />
    </svg>
  );
};

const SharedPart = ({ hold, shares, nameOf }: { hold: Hold; shares: readonly Hold[]; nameOf: NameOf }) => {
  if (hold.kind === 'shared')
    return (
      <div class="pad">
        <p>Shared by {hold.count}. Others can share it too.</p>
        <ul class="sharers">
          {shares.map((one) => (
            <li>
              <Person requester={one.holder} nameOf={nameOf} keyLabel={one.keyLabel} note={one.note} />
              <span class="meta">
                {one.until === null ? 'no end' : 'until '}
                {one.until !== null && <When at={one.until} as="clock" />}
              </span>
            </li>
          ))}
        </ul>
      </div>
    );
  const by = hold.holder.startsWith(SYSTEM_REQUESTER_PREFIX)
    ? hold.holder.slice(SYSTEM_REQUESTER_PREFIX.length)
    : undefined;
  return (
    <Part
      who={
        by === undefined ? (
          <p class="big">
            Taken along by <Person requester={hold.holder} nameOf={nameOf} />
          </p>
        ) : (
          <p class="big">
            Taken along by <a href={resourcePath(by)}>{by}</a>
          </p>
        )
      }
    />
  );
};

/** A pool, a group, or something that nobody has. */
const NobodyPart = ({ details }: { details: Details }) => {
  const { state, frame } = details;
  const capacity = capacityOf(state);
  const [next] = state.queue;
  if (state.resource === null) return <p class="pad">Nobody can reserve this name now: it means no resource.</p>;
  if (capacity === 0) return <p class="pad">A group: it has no slots of its own.</p>;
  const { free } = state;
  const [notReady] = state.notReady;
  const at = free > 0 || next !== undefined ? null : expectedForNext(factsOf(details), frame.nowMs);
  const waits = next && waitingText(Math.max(state.waiting, state.queue.length), nameIn(details, next.request));
  if (capacity === 1 && notReady !== undefined)
    return <NotReadyPart one={notReady} waits={waits} nameOf={details.nameOf} />;
  if (capacity === 1)
    return <Part who={<NobodyYet details={details} />} big={waits && <span class="meta">{waits}</span>} />;
  return (
    <Part
      who={
        <>
          <p class="big">
            {free} of {capacity} free
          </p>
          <p class="meta">
            {[...countTexts({ ...state, capacity }), ...(waits ? [waits] : [])].map((text, i) =>
              i > 0 ? ` · ${text}` : text,
            )}
            {at !== null && (
              <>
                {state.outOfService + state.dirty > 0 && ' · '}next free about <When at={at} as="clock" />
              </>
            )}
          </p>
        </>
      }
      meter={<Occupied state={state} capacity={capacity} />}
    />
  );
};

/** Until when nobody has it. A booking that has begun says nothing of that: it waits for its slot. */
const NobodyYet = ({ details: { bookings } }: { details: Details }) => {
  const first = bookings?.find(({ state }) => state === 'BOOKED');
  return (
    <p class="big">
      Nobody has it
      {first !== undefined && (
        <>
          {' '}
          until <When at={first.start} as="clock" />
        </>
      )}
    </p>
  );
};

const nameIn = ({ nameOf }: Details, { requester, counts }: Details['state']['queue'][number]['request']) => ({
  requester: nameOf(requester),
  counts,
});

/** A resource that nobody has, and nobody gets. */
const NotReadyPart = ({ one, waits, nameOf }: { one: SlotCondition; waits: Child; nameOf: NameOf }) => {
  return (
    <Part
      who={
        <>
          <p class="big">
            {CONDITION_WORDS[one.condition]}
            {one.since !== null && (
              <>
                {' '}
                since <When at={one.since} as="day" />
              </>
            )}
          </p>
          {one.reason !== undefined && <p class="note">{one.reason}</p>}
        </>
      }
      big={
        <span class="meta">
          {one.actor !== null && `set by ${actorText(one.actor, nameOf)}`}
          {one.actor !== null && waits && ' · '}
          {waits}
        </span>
      }
    />
  );
};

/** The slots that are held, from the left, and those that nobody holds and nobody gets, from the right. */
const Occupied = ({ state, capacity }: { state: Details['state']; capacity: number }) => {
  const { held, free, outOfService, dirty } = state;
  const idle = Math.max(0, capacity - free - held);
  const out = Math.min(outOfService, idle);
  const share = (count: number) => `${Math.round(Math.min(1, count / capacity) * 1000) / 10}%`;
  const label = [`${held} of ${capacity} slots are in use`, ...countTexts({ capacity, outOfService, dirty })];
  return (
    <svg class="progress" role="img" aria-label={label.join(', ')}>
      <rect class="track" width="100%" height="6" rx="3" />
      <rect class="busy" width={share(held)} height="6" rx="3" />
      {out > 0 && <rect class="out" x={share(capacity - out)} width={share(out)} height="6" rx="3" />}
      {idle > out && <rect class="dirty" x={share(capacity - idle)} width={share(idle - out)} height="6" rx="3" />}
    </svg>
  );
};
