/**
 * Mine: what the person has, the first to end first; what they wait for, with their place and about when it is their
 * turn; and what they had lately. What they can take is above it, as on every page.
 */
import { Hono } from 'hono';
import type { ActiveReservation } from '../../contract/reservations.ts';
import type { PastEntry } from '../../domain/history.ts';
import { active } from '../../engine/reservations/active.ts';
import { type ResourceState, resourceStates } from '../../engine/reservations/states.ts';
import { requesterOf } from '../../engine/tenant/signIns.ts';
import type { Standing } from '../../engine/waiting/list.ts';
import { fillPage } from '../../operations/history.ts';
import { BOARD } from '../board/query.ts';
import { readBookings } from '../bookings/read.ts';
import { BookedCard, mustBeClaimed } from '../components/bookedCard.tsx';
import { BookingTroubles } from '../components/bookingTroubles.tsx';
import { UndoRelease } from '../components/doneNotice.tsx';
import { Page } from '../components/layout.tsx';
import { Meter } from '../components/nowCard.tsx';
import { PastTable } from '../components/pastTable.tsx';
import { resourcePath } from '../components/resourceTree.tsx';
import { Extend, LeaveQueue, Release, ReleaseReady } from '../components/rowActions.tsx';
import { When } from '../components/when.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { historyPath } from '../paths.ts';
import { namesOf, requestersOf } from '../people.ts';
import { conditionFor, expectedTurn } from '../resource/facts.ts';
import { may } from '../viewer.ts';
import { ordinal } from '../words/numbers.ts';
import { PURPOSES, turnUnknown, wantedText } from '../words/waitingWords.ts';
import { zoneOf } from '../zone.ts';

const AT = '/dashboard/mine';
/** Rows of each list. */
const MAX_ROWS = 100;
const PAST_ROWS = 15;
/** Slots that are read of a pool that they wait for. */
const SLOTS = 12;

export const mineRoutes = (deps: DashboardDeps) =>
  new Hono<DashboardEnv>().get(AT, async (c) => {
    const { viewer } = c.var;
    const { credential, user } = viewer;
    const { engine, history, reads } = deps;
    const requesters = requestersOf(user);
    const [held, booked, past] = await Promise.all([
      readHeld(deps, viewer, requesters),
      readBooked(deps, viewer, requesters),
      Promise.all(
        requesters.map((requester) =>
          fillPage(history, credential.tenant, { requester }, undefined, PAST_ROWS, () => reads.debit(credential)),
        ),
      ),
    ]);
    const waits = viewer.standings.filter(({ isGranted }) => !isGranted);
    const names = [...new Set([...waits.map(({ waitsFor }) => waitsFor), ...booked.map(({ resource }) => resource)])];
    const shown = names.slice(0, MAX_ROWS);
    const found =
      shown.length === 0 ? [] : await resourceStates(engine, credential, shown, { slots: SLOTS, requesters });
    const states = new Map(shown.map((name, i) => [name, found[i]]));
    const entries = past
      .flatMap((page) => page.entries)
      .filter(({ ending }) => ending !== 'OUT_OF_SERVICE')
      .sort((one, other) => other.endedAt - one.endedAt);
    const nameOf = await namesOf(deps, viewer, requesters);
    return c.html(
      <Page
        title="Mine"
        viewer={viewer}
        at={AT}
        done={c.req.query('done')}
        renew={{ from: AT, everyS: 60 }}
        head={{ isWide: true }}
      >
        <BookingTroubles viewer={viewer} />
        <div class="stack" data-live="mine">
          <HeldCard held={held} viewer={viewer} />
          {may(viewer, 'reserve') && <BookedCard booked={booked} states={states} zone={zoneOf(c)} back={AT} />}
          {waits.length > 0 && <WaitsCard waits={waits} states={states} requester={requesterOf(user)} />}
          <section class="card" aria-labelledby="past-title">
            <header>
              <h2 id="past-title">What you had lately</h2>
              <a class="end meta" href={historyPath({ requester: user.email ?? requesterOf(user) })}>
                All of it
              </a>
            </header>
            <PastTable
              label="Your history"
              rows={entries.slice(0, PAST_ROWS)}
              nameOf={nameOf}
              isOwn
              besides={undoOf(entries, viewer)}
              none="You have had nothing yet, as far as the history goes back."
            />
          </section>
        </div>
      </Page>,
    );
  });

/** Returns what is beside a row of the history: Undo at the last release of something, if it can be taken back. */
const undoOf = (entries: readonly PastEntry[], { releases }: Viewer) => {
  const open = new Map(
    releases.map(({ resource }) => [
      entries.find((one) => one.resource === resource && one.reservedAt !== null),
      resource,
    ]),
  );
  return ({ number }: { readonly number: number }) => {
    const released = [...open].find(([entry]) => entry?.number === number && entry.ending === 'RELEASED');
    return released && <UndoRelease resource={released[1]} back={AT} id={`undo-${number}`} />;
  };
};

/** Returns the reservations of the person, the first to end first. */
async function readHeld({ engine }: DashboardDeps, { credential }: Viewer, requesters: readonly string[]) {
  const held: ActiveReservation[] = [];
  for (const requester of requesters)
    for await (const { rows } of active(engine, credential, { requester })) {
      held.push(...rows.filter(({ claimBy }) => claimBy === null));
      if (held.length >= MAX_ROWS) break;
    }
  const endOf = ({ expiresAt }: ActiveReservation) =>
    expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
  return held.sort((one, other) => endOf(one) - endOf(other)).slice(0, MAX_ROWS);
}

/** Returns the person's bookings, the first to begin first. Those that have begun are among what they have. */
async function readBooked({ engine }: DashboardDeps, { credential }: Viewer, requesters: readonly string[]) {
  const all = await Promise.all(
    requesters.map((requester) => readBookings(engine, credential, { requester }, MAX_ROWS)),
  );
  return all
    .flat()
    .filter((one) => one.state !== 'RUNNING' || mustBeClaimed(one))
    .sort((one, other) => Date.parse(one.start) - Date.parse(other.start));
}

const HeldCard = ({ held, viewer }: { held: readonly ActiveReservation[]; viewer: Viewer }) => (
  <section class="card" aria-labelledby="held-title">
    <header>
      <h2 id="held-title">What you have</h2>
      {held.length > 0 && <span class="meta">{held.length}</span>}
    </header>
    {held.length === 0 ? (
      <p class="pad">
        You have nothing. <a href={BOARD}>{may(viewer, 'reserve') ? 'Look what is free' : 'Open the Board'}</a>
      </p>
    ) : (
      <ul class="own">
        {held.map((one) => (
          <HeldRow one={one} />
        ))}
      </ul>
    )}
  </section>
);

const HeldRow = ({ one }: { one: ActiveReservation }) => {
  const { resource, requester, reservedAt, expiresAt, note, mode, slots, session, condition = null } = one;
  const hold = { resource, requester, claimBy: null, mode, condition };
  return (
    <li id={`own-${one.fencingToken}`} data-name={resource}>
      <div>
        <p class="big">
          <a href={resourcePath(resource)}>{resource}</a>
          {mode === 'SHARED' && <span class="meta"> shared</span>}
          {slots !== undefined && <span class="meta"> {slots.join(', ')}</span>}
          {condition !== null && <span class="meta">{PURPOSES[condition]}</span>}
        </p>
        {note !== undefined && <p class="note">{note}</p>}
      </div>
      <div>
        {expiresAt === null ? (
          <p>no end</p>
        ) : (
          <p>
            until <When at={expiresAt} as="clock" />
          </p>
        )}
        <p class="meta">
          {expiresAt !== null && (
            <>
              in <When at={expiresAt} as="in" />
              {session !== undefined && ', unless its session is renewed'},{' '}
            </>
          )}
          since <When at={reservedAt} as="clock" />
        </p>
      </div>
      <div class="actions">
        <Extend hold={hold} back={AT} />
        {condition !== null && <ReleaseReady hold={hold} to={condition} back={AT} />}
        <Release hold={hold} back={AT} />
      </div>
      {expiresAt !== null && <Meter since={Date.parse(reservedAt)} until={Date.parse(expiresAt)} />}
    </li>
  );
};

interface WaitsCardProps {
  readonly waits: readonly Standing[];
  readonly states: ReadonlyMap<string, ResourceState | undefined>;
  readonly requester: string;
}

const WaitsCard = ({ waits, states, requester }: WaitsCardProps) => (
  <section class="card" aria-labelledby="waits-title">
    <header>
      <h2 id="waits-title">What you wait for</h2>
    </header>
    <ol class="queue">
      {waits.map((wait) => (
        <WaitRow wait={wait} state={states.get(wait.waitsFor)} requester={requester} />
      ))}
    </ol>
  </section>
);

interface WaitRowProps {
  readonly wait: Standing;
  readonly state: ResourceState | undefined;
  readonly requester: string;
}

const WaitRow = ({ wait, state, requester }: WaitRowProps) => {
  const { ahead, waitsFor, since, until, resources } = wait;
  const condition = conditionFor(wait, waitsFor);
  const [first = waitsFor] = resources;
  const at = state === undefined || condition !== 'ready' ? null : expectedTurn(state, ahead);
  return (
    <li id={`wait-${since}`}>
      <span class="place">
        {ahead + 1}
        <span class="out-of-sight">{ordinal(ahead + 1)} in the queue</span>
      </span>
      <span>
        <a href={resourcePath(waitsFor)}>{wantedText(wait)}</a>
        {waitsFor !== first && <span class="meta"> waits for {waitsFor}</span>}
      </span>
      <span class="meta">
        since <When at={since} as="clock" />, gives up at <When at={until} as="clock" />
      </span>
      <strong>
        {at === null ? (
          <span class="meta">{turnUnknown(condition)}</span>
        ) : (
          <>
            about <When at={at} as="clock" />
          </>
        )}
      </strong>
      <LeaveQueue wait={{ resource: first, requester }} back={AT} />
    </li>
  );
};
