/**
 * The parts of the page of reservations, put together.
 */

import { mayEnd } from '../../operations/permissions.ts';
import type { Viewer } from '../env.ts';
import type { Failed } from '../form.ts';
import { AT, addressOf, isNarrowed, type Query } from '../search/reservationsQuery.ts';
import type { Found } from '../search/searchReservations.ts';
import type { Waiters } from '../search/searchWaiting.ts';
import { may } from '../viewer.ts';
import { number } from '../words/numbers.ts';
import { Confirm } from './confirm.tsx';
import { Page } from './layout.tsx';
import { Cleared, ReservationFilters } from './reservationFilters.tsx';
import { ReservationsTable, SELECTED } from './reservationsTable.tsx';
import { WaitingPart } from './waitingPart.tsx';

export interface ReservationsPageProps {
  readonly viewer: Viewer;
  readonly query: Query;
  readonly found: Found;
  readonly waiters: Waiters;
  /** All reservations of the tenant. One of several slots counts as several. */
  readonly total: number;
  /** The number of pages of both lists. */
  readonly pages: { readonly held: number; readonly waiting: number };
  readonly done: string | undefined;
  readonly failed: Failed | undefined;
}

export const ReservationsPage = (props: ReservationsPageProps) => {
  const { viewer, query, found, waiters, total, pages, done, failed } = props;
  const isEmpty = total === 0 && waiters.matches === 0;
  return (
    <Page title="Reservations" viewer={viewer} at={AT} done={done} failed={failed} renew={{ from: addressOf(query) }}>
      <ReservationFilters query={query} found={found} />
      <div data-live="held">
        <Summary found={found} total={total} query={query} />
        {found.page.length === 0 ? (
          <Nothing viewer={viewer} query={query} />
        ) : (
          <>
            <ReservationsTable held={found.page} query={query} viewer={viewer} />
            <Selection {...{ found, query, viewer }} />
          </>
        )}
        <Pages label="Pages of reservations" query={query} field="page" of={pages.held} />
      </div>
      <WaitingPart
        waiters={waiters}
        action={addressOf(query, {}, `${AT}/cancel`)}
        user={viewer.user}
        pages={<Pages label="Pages of those who wait" query={query} field="waiting" of={pages.waiting} />}
      />
      {may(viewer, 'reset') && !isEmpty && <StartOver />}
    </Page>
  );
};

const Summary = ({ found, total, query }: { found: Found; total: number; query: Query }) => (
  <p>
    {number(found.isPartial ? total : found.lookedAt)} held
    {isNarrowed(query) && `, ${number(found.matches)} found`}
    {found.isPartial && ` among the first ${number(found.lookedAt)} that were read`}.
  </p>
);

/** Says what to do next where there are no rows. */
const Nothing = ({ viewer, query }: { viewer: Viewer; query: Query }) =>
  isNarrowed(query) ? (
    <p>
      No reservation fits. <a href={addressOf(query, { ...Cleared, page: 1 })}>Show all reservations</a>
    </p>
  ) : query.page > 1 ? (
    <p>
      There is no such page. <a href={addressOf(query, { page: 1 })}>Show the first page</a>
    </p>
  ) : (
    <p>
      Nothing is reserved.{' '}
      {may(viewer, 'reserve') && (
        <>
          <a href="/dashboard/reserve">Reserve something</a>, or{' '}
        </>
      )}
      <a href="/dashboard">look what is free</a>.
    </p>
  );

/** The form that the boxes of the rows belong to. */
const Selection = ({ found, query, viewer }: Pick<ReservationsPageProps, 'found' | 'query' | 'viewer'>) => {
  const count = found.page.filter(({ requester }) => mayEnd(viewer.user, requester)).length;
  if (count === 0) return null;
  return (
    <form id={SELECTED} method="post" action={addressOf(query, {}, `${AT}/selected`)} class="buttons">
      <button type="submit">Release the selected …</button>{' '}
      {query.select === '' ? (
        <a class="button" href={addressOf(query, { select: 'page' })}>
          Select all {count} of this page
        </a>
      ) : (
        <a class="button" href={addressOf(query, { select: '' })}>
          Select none
        </a>
      )}
    </form>
  );
};

interface PagesProps {
  readonly label: string;
  readonly query: Query;
  readonly field: 'page' | 'waiting';
  readonly of: number;
}

const Pages = ({ label, query, field, of }: PagesProps) => {
  const page = query[field];
  if (of === 1 && page === 1) return null;
  const to = (number: number) => addressOf(query, { [field]: number, select: '' });
  return (
    <nav class="pages" aria-label={label}>
      {page > 1 && <a href={to(Math.min(page - 1, of))}>Previous</a>} Page {number(page)} of {number(of)}{' '}
      {page < of && <a href={to(page + 1)}>Next</a>}
    </nav>
  );
};

const StartOver = () => (
  <section aria-labelledby="reset-title">
    <h2 id="reset-title">Start over</h2>
    <Confirm
      id="reset"
      label="Release everything"
      question="Release all reservations of this tenant, and end all waits? Their holders learn it when they renew or release. Registered resources stay."
      action={`${AT}/reset`}
    />
  </section>
);
