/**
 * Reserves a resource for the person who has signed in, or lets them wait for it. The page has an address of its own,
 * so that a link on a device can lead to it.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { CheckResult } from '../../../contract/check.ts';
import type { ReserveItem, ReserveResult } from '../../../contract/reservations.ts';
import { CONDITIONS, type Condition } from '../../../domain/conditions.ts';
import { MAX_NOTE_LENGTH, type Sizes } from '../../../domain/maxSizes.ts';
import { suggestedLease, type Terms } from '../../../domain/tenants.ts';
import { MAX_CLAIM_SECONDS } from '../../../domain/waiting.ts';
import type { Registered } from '../../../engine/reservations/resource.ts';
import { readTerms } from '../../../engine/tenant/record.ts';
import { requesterOf } from '../../../engine/tenant/signIns.ts';
import { reserve } from '../../../operations/reservations.ts';
import { NO_POLLING } from '../../../operations/waiting.ts';
import { joined, type Turn, turnIfJoined } from '../../actions/joined.ts';
import { leaseFields, leaseOf } from '../../actions/lease.ts';
import { emailOffer, tellTurn, turnChannels } from '../../actions/tellTurn.ts';
import { SeveralFields } from '../../components/fields.tsx';
import { Fault, FormPage, faultOf } from '../../components/formPage.tsx';
import { chosenEnd, LeaseFields } from '../../components/leaseFields.tsx';
import { NowOrLater } from '../../components/nowOrLater.tsx';
import { ReserveButtons, type ReserveButtonsProps } from '../../components/reserveButtons.tsx';
import { ResourceState } from '../../components/resourceState.tsx';
import { WhatPage } from '../../components/whatPage.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../../env.ts';
import { findWanted } from '../../find/findWanted.ts';
import { type Attempt, attempt, check, type Failed, readForm, readQuery, refuseField, searched } from '../../form.ts';
import { reserveSchema } from '../../formSchemas.ts';
import { backTo, type Done, ownPath, togetherPath } from '../../paths.ts';
import { type NameOf, namesOf } from '../../people.ts';
import { definitionOf, hasFreeIn, stateReader } from '../../resource/careOf.ts';
import { may, needs } from '../../viewer.ts';
import { refusalOf } from '../../words/refusalWords.ts';
import { wantedText } from '../../words/waitingWords.ts';
import { zoneOf } from '../../zone.ts';

const AT = '/dashboard/reserve';
const CLAIM = '/dashboard/claim';

const Query = z.object({
  resource: z.string().default(''),
  /** Words that say what is needed, while no resource is chosen. */
  q: searched,
  condition: z.string().optional(),
  back: z.string().optional(),
  lease: z.string().optional(),
});
const Form = z.object({
  resource: z.string(),
  note: z.string().optional(),
  count: z.string().optional(),
  mode: z.literal('SHARED').optional(),
  /** '' for ready; other texts than conditions are refused. */
  condition: z.string().optional(),
  /** Which button was pressed. */
  act: z.enum(['reserve', 'wait']).default('reserve'),
  /** Present if the person wants to learn by e-mail when it is their turn. */
  tell: z.literal('email').optional(),
  back: z.string().optional(),
  ...leaseFields,
});
type Form = z.output<typeof Form>;

/** A grant that the person waited for. Its lease was asked for then. */
const Claim = Form.pick({ resource: true, mode: true, back: true });

/** The notice for a result that is a success; null: it is none */
async function doneBy(deps: DashboardDeps, viewer: Viewer, form: Form, result: ReserveResult): Promise<Done | null> {
  const { status, resource, expiresAt } = result;
  if (status === 'WAITING') return joined(deps, viewer, result, conditionOf(form.condition ?? '') === 'ready');
  if (status !== 'ACQUIRED' && status !== 'ALREADY_HAD') return null;
  return { done: 'reserved', what: resource, until: expiresAt };
}

const NOT_RESERVED = { fault: 'It was not reserved.' };

export const reserveRoutes = (deps: DashboardDeps) => {
  const Reserves = reserveSchema(deps);
  const readState = stateReader(deps);

  const show = async (c: Context<DashboardEnv>, typed: Form, failed?: Failed) => {
    const { viewer } = c.var;
    const { resource, condition = '' } = typed;
    const [terms, seen, canTend, registered] = await Promise.all([
      readTerms(deps.engine, viewer.credential),
      // After a failure, the page shows the state if it can be read, and the failure in any case.
      failed ? readState(viewer, resource).catch(() => null) : readState(viewer, resource),
      condition === '' ? null : hasFreeIn(deps.engine, viewer.credential, resource, condition).catch(() => false),
      definitionOf(deps.engine, viewer.credential, resource).catch(() => undefined),
    ]);
    // A slot in the condition may be free, and something else in the way.
    const canTake = canTend === null ? seen?.reservable !== false : canTend && failed?.status !== 409;
    const email = canTake ? null : await emailOffer(deps, viewer);
    const told = canTake ? null : await turnChannels(deps, viewer);
    const turn = canTake ? null : await turnOf(deps, viewer, typed, terms).catch(() => null);
    const nameOf = await namesOf(deps, viewer, seen?.requester ? [seen.requester] : []);
    const props = { viewer, typed, terms, seen, canTake, registered, email, told, turn, nameOf, failed };
    return c.html(<ReservePage {...props} sizes={deps.sizes} zone={zoneOf(c)} />, failed?.status ?? 200);
  };

  const tryItem = (c: Context<DashboardEnv>, itemOf: () => object): Promise<Attempt<ReserveResult | undefined>> =>
    attempt(deps, c, async () => {
      const { credential } = c.var.viewer;
      const items: ReserveItem[] = check(Reserves, [itemOf()]);
      return (await reserve(deps, credential, items, NO_POLLING)).result[0];
    });

  const finish = async (c: Context<DashboardEnv>, form: Form, tried: Attempt<ReserveResult | undefined>) => {
    if (!tried.ok) return show(c, form, tried);
    const { result } = tried;
    const done = result && (await doneBy(deps, c.var.viewer, form, result));
    if (done) return c.redirect(backTo(form.back, done), 303);
    const state = await readState(c.var.viewer, form.resource).catch(() => null);
    return show(c, form, { status: 409, ...(result ? refusalOf(result, state, zoneOf(c)) : NOT_RESERVED) });
  };

  return new Hono<DashboardEnv>()
    .post(AT, needs('reserve'))
    .use(CLAIM, needs('reserve'))
    .get(AT, async (c) => {
      const query = readQuery(c, Query);
      if (query.resource !== '') return show(c, Form.parse(query));
      const { viewer } = c.var;
      const back = ownPath(query.back);
      const found = query.q === '' ? [] : await findWanted(deps, viewer, query.q, back);
      return typeof found === 'string'
        ? c.redirect(found, 303)
        : c.html(<WhatPage {...{ viewer, q: query.q, found, back }} />);
    })
    .post(AT, async (c) => {
      const form = await readForm(c, Form);
      const told = form.act === 'wait' && form.tell ? await tellTurn(deps, c) : null;
      if (told?.ok === false) return show(c, form, told);
      return finish(c, form, await tryItem(c, () => itemOf(form, c.var.viewer, deps.sizes)));
    })
    .post(CLAIM, async (c) => {
      const { resource, mode, back } = await readForm(c, Claim);
      const { user, credential } = c.var.viewer;
      const ttlSeconds = suggestedLease(await readTerms(deps.engine, credential));
      const item = { resource, requester: requesterOf(user), ttlSeconds, ...(mode && { mode }) };
      const form = Form.parse({ resource, mode, back });
      return finish(c, form, await tryItem(c, () => item));
    });
};

/**
 * The item that a form asks for.
 * @throws HoldfastError refused
 */
function itemOf(form: Form, { user }: Viewer, { waitSeconds }: Sizes): object {
  const { resource, note = '', count = '', mode, condition = '', act } = form;
  const ttlSeconds = leaseOf(form);
  const isWait = act === 'wait';
  if (isWait && ttlSeconds === undefined)
    refuseField('ttlSeconds', 'choose how long you need it: what is waited for has an end');
  return {
    resource,
    requester: requesterOf(user),
    ...(ttlSeconds !== undefined && { ttlSeconds }),
    // Up to the moment from which it is booked: that is part of a second less.
    ...(ttlSeconds !== undefined && ttlSeconds > 1 && !isWait && { minTtlSeconds: ttlSeconds - 1 }),
    ...(note !== '' && { note }),
    ...(count !== '' && count !== '1' && { count: Number(count) }),
    ...(mode && { mode }),
    ...(condition !== '' && { condition }),
    ...(isWait && { waitSeconds, claimSeconds: MAX_CLAIM_SECONDS }),
  };
}

/** The turn of a person, if they joined the queue now. @throws as turnIfJoined() */
async function turnOf(
  deps: DashboardDeps,
  viewer: Viewer,
  { resource, condition }: Form,
  terms: Terms,
): Promise<Turn | null> {
  const form = Form.parse({ resource, condition, act: 'wait', note: '…', lease: String(suggestedLease(terms)) });
  const [item] = check(reserveSchema(deps), [itemOf(form, viewer, deps.sizes)]);
  return item === undefined ? null : turnIfJoined(deps, viewer, item);
}

const conditionOf = (text: string): Condition => CONDITIONS.find((one) => one === text) ?? 'ready';

interface ReservePageProps extends Pick<ReserveButtonsProps, 'canTake' | 'email' | 'told' | 'turn'> {
  readonly viewer: Viewer;
  readonly typed: Form;
  readonly terms: Terms;
  /** null: it could not be read */
  readonly seen: CheckResult | null;
  /** The definition of the name. null: it is not registered; undefined: it could not be read */
  readonly registered: Registered | null | undefined;
  readonly nameOf: NameOf;
  readonly sizes: Sizes;
  readonly failed: Failed | undefined;
  readonly zone: string;
}

const ReservePage = (props: ReservePageProps) => {
  const { viewer, typed, seen, canTake, registered, nameOf, failed } = props;
  const { resource, condition = '' } = typed;
  const back = ownPath(typed.back);
  const renew = `${AT}?${new URLSearchParams({ resource, ...(condition !== '' && { condition }), back })}`;
  const what = wantedText({ resources: [resource], counts: [1], conditions: [conditionOf(condition)] });
  return (
    <FormPage
      title={canTake ? `Reserve ${what}` : `Join the queue for ${what}`}
      viewer={viewer}
      failed={failed}
      renew={{ from: renew }}
    >
      {registered?.isBookable && may(viewer, 'reserve') && <NowOrLater resource={resource} back={back} at="now" />}
      {seen && <ResourceState state={seen} viewer={viewer} nameOf={nameOf} back={back} isTitled />}
      {registered === null && (
        <p class="hint">
          Nothing of this name is registered. A reservation then holds the name itself, as those of programs do.
        </p>
      )}
      {may(viewer, 'reserve') ? (
        <ReserveForm {...props} />
      ) : (
        <p class="notice">
          Your role in this tenant may look, but not reserve.{' '}
          <a href={back} data-cancel>
            Back to the page
          </a>
        </p>
      )}
    </FormPage>
  );
};

const ReserveForm = (props: ReservePageProps) => {
  const { viewer, typed, terms, seen, canTake, registered, email, told, turn, sizes, failed, zone } = props;
  const back = ownPath(typed.back);
  const latestMs = canTake && seen?.bookedFrom !== undefined ? Date.parse(seen.bookedFrom) : null;
  const lease = { terms, typed, failed, zone, mayLast: canTake, isQueued: !canTake, latestMs };
  const end = chosenEnd(lease);
  return (
    <form class="stack" method="post" action={AT}>
      <input type="hidden" name="resource" value={typed.resource} />
      <input type="hidden" name="back" value={back} />
      <LeaseFields {...lease} />
      <label>
        {terms.requireNote ? 'What for (required)' : 'What for'}
        <input
          name="note"
          value={typed.note ?? ''}
          maxlength={MAX_NOTE_LENGTH}
          required={terms.requireNote}
          placeholder="nightly build, a link, a ticket"
          autocomplete="off"
          {...faultOf({ of: 'note', failed })}
        />
        <Fault of="note" failed={failed} />
      </label>
      <SeveralFields {...{ typed, registered, sizes, failed }} mayRepair={may(viewer, 'define')} />
      {canTake && (
        <p class="meta">
          <a href={togetherPath([typed.resource, ''], back)}>Reserve something else with it …</a>
        </p>
      )}
      <ReserveButtons {...{ canTake, email, told, turn, end, back }} />
    </form>
  );
};
