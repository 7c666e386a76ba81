/**
 * The page of one resource, registered or not: who has it, who is next, what it takes along, who had it, and events as
 * they happen; change and delete.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { PATH_DELIMITER } from '../../domain/names.ts';
import { deleteDefinition } from '../../operations/definitions.ts';
import { cancelForm } from '../actions/cancelWait.ts';
import { Confirm } from '../components/confirm.tsx';
import { EventLog } from '../components/eventLog.tsx';
import { HistoryTable } from '../components/historyTable.tsx';
import { Page } from '../components/layout.tsx';
import { asTyped, newTyped, RegisterForm } from '../components/registerForm.tsx';
import { PlanPart, SlotsPart, StatePart, UsagePart } from '../components/resourceParts.tsx';
import { ResourceTree, resourcePath } from '../components/resourceTree.tsx';
import { TimelineView } from '../components/timeline.tsx';
import { WaitingPart } from '../components/waitingPart.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { attempt, check, type Failed, pageNumber, readForm, readQuery } from '../form.ts';
import { NameParams } from '../formSchemas.ts';
import { backTo } from '../paths.ts';
import { labelTexts } from '../resource/registeredResources.ts';
import { type Details, readDetails, SLOTS, type View, type Wanted } from '../resource/resourceDetails.ts';
import { may } from '../viewer.ts';
import { historyPath } from './history.tsx';

const AT = '/dashboard/resources/one';
/** Ended reservations that the page shows. */
const LAST = 20;

const Query = z.object({
  name: z.string(),
  view: z.enum(['day', 'week']).catch('day'),
  page: pageNumber,
  after: z.string().optional(),
  done: z.string().optional(),
});
const Delete = z.object({ name: z.string(), cascade: z.string().optional() });

export const resourceRoutes = (deps: DashboardDeps) => {
  const cancelWait = cancelForm(deps);

  const show = async (c: Context<DashboardEnv>, wanted: Wanted, failed?: Failed) => {
    const details = await readDetails(deps, c.var.viewer, wanted);
    if (details.name !== wanted.name) return c.redirect(pathOf(details), 303);
    return c.html(
      <ResourcePage
        viewer={c.var.viewer}
        wanted={wanted}
        details={details}
        done={c.req.query('done')}
        failed={failed}
      />,
      failed?.status ?? 200,
    );
  };

  return new Hono<DashboardEnv>()
    .get(AT, (c) => {
      const wanted = readQuery(c, Query);
      check(NameParams, { name: wanted.name });
      return show(c, { after: undefined, ...wanted });
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
        : show(c, firstPage(name), deleted);
    });
};

const firstPage = (name: string): Wanted => ({ name, view: 'day', page: 1, after: undefined });

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
}

const ResourcePage = ({ viewer, wanted, details, done, failed }: ResourcePageProps) => {
  const { name, state, past, below } = details;
  const { registered, queue, waiting } = state;
  const link = (to: Partial<Wanted>) => linkTo({ ...wanted, ...to });
  const back = link({});
  const isKnown = registered !== null || state.held > 0 || queue.length > 0 || past.length > 0;
  const waiters = {
    shown: queue.map(({ request }, i) => ({ place: i + 1, request })),
    matches: Math.max(waiting, queue.length),
    lookedAt: queue.length,
    isPartial: false,
  };
  return (
    <Page
      title={name}
      viewer={viewer}
      at="/dashboard/resources"
      done={done}
      failed={failed}
      renew={{ from: back }}
      script="live.js"
    >
      <Above details={details} />
      {registered !== null && Object.keys(registered.labels).length > 0 && (
        <p data-live="labels">Labels: {labelTexts(registered.labels).join(', ')}</p>
      )}
      <StatePart details={details} viewer={viewer} back={back} />
      {!isKnown && (
        <p class="notice">Nothing is known of this name: it is not registered, and nobody has held it lately.</p>
      )}
      <SlotsPart details={details} viewer={viewer} back={back} link={(page) => link({ page })} />
      <WaitingPart waiters={waiters} action={`${AT}/cancel?${new URLSearchParams({ name })}`} user={viewer.user} />
      <PlanPart plan={state.plan} />
      {registered?.capacity !== null && <TimelinePart details={details} view={wanted.view} link={link} />}
      <UsagePart usage={details.usage} />
      <section aria-labelledby="history-title" data-live="history">
        <h2 id="history-title">Who had it</h2>
        <HistoryTable label={`Who had ${name}`} entries={past.slice(0, LAST)} of={name} />
        {past.length > LAST && (
          <p class="pages">
            <a href={historyPath({ resource: name })}>Older, and search</a>
          </p>
        )}
      </section>
      <EventLog of={name} />
      {below.roots.length > 0 && (
        <section aria-labelledby="below-title" data-live="below">
          <h2 id="below-title">Below it</h2>
          <ResourceTree roots={below.roots} children={below.children} page={1} link={() => back} />
          {below.next !== null && (
            <p class="pages">
              <a href={link({ after: below.next })}>More below it</a>
            </p>
          )}
        </section>
      )}
      {may(viewer, 'define') && <Definition details={details} />}
    </Page>
  );
};

function linkTo({ name, view, page, after }: Wanted): string {
  const fields = new URLSearchParams({ name });
  if (view !== 'day') fields.set('view', view);
  if (page !== 1) fields.set('page', String(page));
  if (after !== undefined) fields.set('after', after);
  return `${AT}?${fields}`;
}

interface TimelinePartProps {
  readonly details: Details;
  readonly view: View;
  readonly link: (to: Partial<Wanted>) => string;
}

const VIEW_NAMES: readonly (readonly [View, string])[] = [
  ['day', 'Last 24 hours'],
  ['week', 'Last 7 days'],
];

const TimelinePart = ({ details: { name, timeline, isCut, past }, view, link }: TimelinePartProps) => (
  <section aria-labelledby="timeline-title" data-live="timeline">
    <h2 id="timeline-title">Timeline</h2>
    <nav class="pages" aria-label="Time of the timeline">
      {VIEW_NAMES.map(([one, label]) => (
        <>
          <a
            href={link({ view: one })}
            aria-current={one === view ? 'true' : undefined}
            class={one === view ? 'current' : undefined}
          >
            {label}
          </a>{' '}
        </>
      ))}
    </nav>
    <TimelineView
      timeline={timeline}
      label={`Who held ${name} in the ${view === 'day' ? 'last 24 hours' : 'last 7 days'}`}
    />
    {isCut && <p class="hint">{`Only the latest ${past.length} reservations that ended are drawn.`}</p>}
  </section>
);

const Definition = ({ details: { name, state, below } }: { details: Details }) => {
  const { registered } = state;
  if (registered === null)
    return state.resource === null ? null : (
      <details id="register" class="define">
        <summary>Register it</summary>
        <RegisterForm title={`Register ${name}`} isNamed typed={newTyped(name)} />
      </details>
    );
  const { capacity, treePath, labels, blocks } = registered;
  const definition = { name, capacity, labels, blocks: [...blocks], treePath: treePath || null };
  return (
    <>
      <details id="change" class="define">
        <summary>Change it</summary>
        <RegisterForm title="Change it" isNamed typed={asTyped(definition)} />
      </details>
      <section aria-labelledby="delete-title">
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

const Above = ({ details: { state } }: { details: Details }) => {
  const path = state.registered?.treePath ?? '';
  return (
    <nav aria-label="Above it">
      <ol class="path">
        <li>
          <a href="/dashboard/resources">Resources</a>
        </li>
        {(path === '' ? [] : path.split(PATH_DELIMITER)).map((name) => (
          <li>
            <a href={resourcePath(name)}>{name}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
};
