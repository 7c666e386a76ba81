/**
 * The pages of one resource, registered or not: now, with who has it, who is next and who had it; its history; events
 * as they happen; its definition, to change or delete.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { deleteDefinition } from '../../operations/definitions.ts';
import { cancelForm } from '../actions/cancelWait.ts';
import { BOARD } from '../board/query.ts';
import { LAST_WEEK, weekAt } from '../bookings/week.ts';
import { Confirm } from '../components/confirm.tsx';
import { EventLog } from '../components/eventLog.tsx';
import { Page } from '../components/layout.tsx';
import { NowCard } from '../components/nowCard.tsx';
import { type PastRow, PastTable } from '../components/pastTable.tsx';
import { QueueCard } from '../components/queueCard.tsx';
import { asTyped, newTyped, RegisterForm } from '../components/registerForm.tsx';
import { ResourceAside } from '../components/resourceAside.tsx';
import { ResourceHead } from '../components/resourceHead.tsx';
import { ResourceTree, resourcePath } from '../components/resourceTree.tsx';
import { SlotsCard } from '../components/slotsCard.tsx';
import { TimelineCard } from '../components/timelineCard.tsx';
import { WeekCard } from '../components/weekCard.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { attempt, check, type Failed, pageNumber, readForm, readQuery } from '../form.ts';
import { NameParams } from '../formSchemas.ts';
import { backTo, historyPath } from '../paths.ts';
import { type Details, readDetails, SLOTS, TABS, type Tab, type Wanted } from '../resource/resourceDetails.ts';
import { may } from '../viewer.ts';
import { zoneOf } from '../zone.ts';

const AT = '/dashboard/resources/one';
/** Ended reservations that the page shows. */
const LAST = 12;

const Query = z.object({
  name: z.string(),
  tab: z.enum(TABS).catch('now'),
  view: z.enum(['today', 'day', 'week']).catch('today'),
  week: z.coerce.number().int().min(0).max(LAST_WEEK).catch(0),
  /** A time whose week is shown, in ms since 1970 UTC. */
  at: z.coerce.number().optional().catch(undefined),
  cursor: z.string().max(100).optional(),
  page: pageNumber,
  after: z.string().optional(),
  done: z.string().optional(),
});
const Delete = z.object({ name: z.string(), cascade: z.string().optional() });

export const resourceRoutes = (deps: DashboardDeps) => {
  const cancelWait = cancelForm(deps);

  const show = async (c: Context<DashboardEnv>, wanted: Wanted, failed?: Failed) => {
    const details = await readDetails(deps, c.var.viewer, wanted, zoneOf(c));
    if (details.name !== wanted.name) return c.redirect(pathOf(details), 303);
    return c.html(
      <ResourcePage
        viewer={c.var.viewer}
        wanted={wanted}
        details={details}
        done={c.req.query('done')}
        failed={failed}
        zone={zoneOf(c)}
      />,
      failed?.status ?? 200,
    );
  };

  return new Hono<DashboardEnv>()
    .get(AT, (c) => {
      const { at, ...wanted } = readQuery(c, Query);
      check(NameParams, { name: wanted.name });
      const week = at === undefined ? wanted.week : weekAt(at, zoneOf(c), Date.now());
      return show(c, { after: undefined, cursor: undefined, ...wanted, week });
    })
    .post(`${AT}/cancel`, async (c) => {
      const { name } = readQuery(c, Query);
      const failed = await cancelWait(c);
      return failed
        ? show(c, firstPage(name), failed)
        : c.redirect(`${AT}?${new URLSearchParams({ name, done: 'cancelled' })}`, 303);
    })
    .post(`${AT}/delete`, async (c) => {
      const { name, cascade } = await readForm(c, Delete);
      const deleted = await attempt(deps, c, async () =>
        deleteDefinition(deps, c.var.viewer.credential, check(NameParams, { name }).name, cascade !== undefined),
      );
      return deleted.ok
        ? c.redirect(backTo('/dashboard/resources', { done: 'deleted', what: name }), 303)
        : show(c, { ...firstPage(name), tab: 'definition' }, deleted);
    });
};

const firstPage = (name: string): Wanted => ({
  name,
  tab: 'now',
  view: 'today',
  week: 0,
  page: 1,
  after: undefined,
  cursor: undefined,
});

/** The address of the resource that a name means: the page of a pool that has the slot. */
function pathOf({ name, state }: Details): string {
  const slotNumber = Number(state.slot?.slice(name.length + 1) ?? 0);
  const page = Math.floor(slotNumber / SLOTS) + 1;
  const at = page === 1 ? resourcePath(name) : `${resourcePath(name)}&page=${page}`;
  return state.slot === null ? at : `${at}#${encodeURIComponent(`slot-${state.slot}`)}`;
}

interface ResourcePageProps {
  readonly viewer: Viewer;
  readonly wanted: Wanted;
  readonly details: Details;
  readonly done: string | undefined;
  readonly failed: Failed | undefined;
  readonly zone: string;
}

const ResourcePage = ({ viewer, wanted, details, done, failed, zone }: ResourcePageProps) => {
  const { name } = details;
  const { tab } = wanted;
  const back = linkTo(wanted);
  const tabLink = (to: Tab) => linkTo({ ...firstPage(name), tab: to });
  return (
    <Page
      title={name}
      viewer={viewer}
      at={BOARD}
      done={done}
      failed={failed}
      renew={{ from: back, everyS: 60 }}
      ownHead={<ResourceHead details={details} viewer={viewer} tab={tab} back={back} link={tabLink} />}
      {...(tab === 'events' && { script: 'live.js' })}
    >
      {tab === 'history' ? (
        <HistoryPart details={details} wanted={wanted} />
      ) : tab === 'events' ? (
        <EventLog of={name} />
      ) : tab === 'definition' ? (
        may(viewer, 'define') && <Definition details={details} />
      ) : (
        <NowPart {...{ details, viewer, wanted, zone, back, tabLink }} />
      )}
    </Page>
  );
};

interface NowPartProps extends Pick<ResourcePageProps, 'details' | 'viewer' | 'wanted' | 'zone'> {
  readonly back: string;
  readonly tabLink: (tab: Tab) => string;
}

const NowPart = ({ details, viewer, wanted, zone, back, tabLink }: NowPartProps) => {
  const { name, state, past, below, nameOf } = details;
  const { registered, queue } = state;
  const link = (to: Partial<Wanted>) => linkTo({ ...wanted, ...to });
  const isKnown = registered !== null || state.held > 0 || queue.length > 0 || past.length > 0;
  const isGroup = registered?.capacity === null;
  return (
    <div class="cols">
      <div class="stack">
        {!isKnown && (
          <p class="notice">Nothing is known of this name: it is not registered, and nobody has held it lately.</p>
        )}
        <NowCard details={details} />
        <QueueCard details={details} viewer={viewer} action={`${AT}/cancel?${new URLSearchParams({ name })}`} />
        {!isGroup && <TimelineCard details={details} view={wanted.view} link={(view) => link({ view })} />}
        <WeekCard {...{ details, viewer, zone, back }} week={wanted.week} link={(week) => link({ week })} />
        <SlotsCard details={details} viewer={viewer} back={back} link={(page) => link({ page })} />
        {below.roots.length > 0 && (
          <section class="card" aria-labelledby="below-title" data-live="below">
            <header>
              <h2 id="below-title">Below it</h2>
            </header>
            <div class="pad">
              <ResourceTree roots={below.roots} children={below.children} page={1} link={() => back} />
              {below.next !== null && <a href={link({ after: below.next })}>More below it</a>}
            </div>
          </section>
        )}
        {!isGroup && (
          <section class="card" aria-labelledby="history-title" data-live="history">
            <header>
              <h2 id="history-title">Who had it</h2>
              <a class="end meta" href={tabLink('history')}>
                All history
              </a>
            </header>
            <PastTable
              label={`Who had ${name}`}
              rows={[...heldRows(details), ...past.slice(0, LAST)]}
              nameOf={nameOf}
              of={name}
            />
          </section>
        )}
      </div>
      <ResourceAside details={details} viewer={viewer} link={tabLink} zone={zone} />
    </div>
  );
};

/** Who has it now, as the first rows of who had it. */
const heldRows = ({ name, state }: Details): PastRow[] =>
  state.holds.flatMap(({ slot, hold, shares }) =>
    (hold.kind === 'shared' ? shares : [hold]).flatMap(({ kind, holder, since, note, keyLabel }, i) =>
      kind !== 'own' || since === null
        ? []
        : [
            {
              number: Number(slot.slice(name.length + 1)) || i,
              requester: holder,
              resource: name,
              slots: [slot],
              mode: hold.kind === 'shared' ? 'SHARED' : 'EXCLUSIVE',
              note: note ?? null,
              reservedAt: Date.parse(since),
              endedAt: null,
              ending: null,
              waitedMs: null,
              apiKeyLabel: keyLabel || null,
              actor: null,
              booking: null,
            },
          ],
    ),
  );

const HistoryPart = ({ details, wanted }: Pick<ResourcePageProps, 'details' | 'wanted'>) => {
  const { name, past, older, nameOf } = details;
  const link = (cursor: string | undefined) => linkTo({ ...wanted, cursor });
  return (
    <section class="card" aria-label={`History of ${name}`}>
      <PastTable label={`Who had ${name}`} rows={past} nameOf={nameOf} of={name} isExact />
      <nav class="pages pad" aria-label="Pages of the history">
        {wanted.cursor !== undefined && <a href={link(undefined)}>Latest</a>}{' '}
        {older !== null && <a href={link(older)}>Older</a>}{' '}
        <a href={historyPath({ resource: name })}>Search, and export</a>
      </nav>
    </section>
  );
};

function linkTo({ name, tab, view, week, page, after, cursor }: Wanted): string {
  const fields = new URLSearchParams({ name });
  if (tab !== 'now') fields.set('tab', tab);
  if (view !== 'today') fields.set('view', view);
  if (week !== 0) fields.set('week', String(week));
  if (page !== 1) fields.set('page', String(page));
  if (after !== undefined) fields.set('after', after);
  if (cursor !== undefined) fields.set('cursor', cursor);
  return `${AT}?${fields}`;
}

const Definition = ({ details: { name, state, below, definition } }: { details: Details }) => {
  if (state.registered === null)
    return state.resource === null ? null : (
      <section class="card pad" id="register">
        <RegisterForm title={`Register ${name}`} isNamed typed={newTyped(name)} />
      </section>
    );
  return (
    <>
      {definition && (
        <section class="card pad define" id="change">
          <RegisterForm title="Change it" isNamed typed={asTyped(definition)} />
        </section>
      )}
      <section class="card pad" aria-labelledby="delete-title">
        <h2 id="delete-title">Delete it</h2>
        <Confirm
          id="delete"
          label="Delete"
          about={name}
          question={`Delete the definition of “${name}”? A resource that is held cannot be deleted.`}
          action={`${AT}/delete`}
          fields={{ name }}
        >
          {below.roots.length > 0 && (
            <label class="check">
              <input type="checkbox" name="cascade" value="true" /> and all resources below it
            </label>
          )}
        </Confirm>
      </section>
    </>
  );
};
