/**
 * The condition of resources by hand: Out of service, which asks for a reason, Back in service, Mark as clean, and
 * Undo (docs/specification.md#condition).
 */

import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Booking } from '../../../contract/bookings.ts';
import type { Credential } from '../../../domain/tenants.ts';
import { before, lastChange, rememberChange, setCondition } from '../../actions/setCondition.ts';
import { readBookings } from '../../bookings/read.ts';
import { showFailure } from '../../components/failurePage.tsx';
import { ReasonField } from '../../components/fields.tsx';
import { Buttons, Fault, FormPage, faultOf } from '../../components/formPage.tsx';
import { HiddenFields } from '../../components/hiddenFields.tsx';
import { Clock } from '../../components/when.tsx';
import type { DashboardDeps, DashboardEnv } from '../../env.ts';
import { attempt, type Failed, readForm, readQuery, refuseField } from '../../form.ts';
import { backTo, ownPath } from '../../paths.ts';
import { type NameOf, namesOf } from '../../people.ts';
import { type Care, readCare } from '../../resource/careOf.ts';
import { needs } from '../../viewer.ts';
import { rangeText } from '../../words/moments.ts';
import { number } from '../../words/numbers.ts';
import { zoneOf } from '../../zone.ts';

const OUT = '/dashboard/condition/out';
const BACK = '/dashboard/condition/back';
const UNDO = '/dashboard/condition/undo';

const OutForm = z.object({
  resource: z.string(),
  /** One slot of the pool, or the pool: all of them. */
  slot: z.string().optional(),
  reason: z.string().optional(),
  back: z.string().optional(),
});
type OutForm = z.output<typeof OutForm>;
const BackForm = z.object({
  resource: z.string(),
  from: z.enum(['out', 'dirty']),
  back: z.string().optional(),
});
const UndoForm = z.object({ resource: z.string(), back: z.string().optional() });

export const conditionRoutes = (deps: DashboardDeps) => {
  const show = async (c: Context<DashboardEnv>, typed: OutForm, failed?: Failed) => {
    const { viewer } = c.var;
    const care = await readCare(deps.engine, viewer.credential, typed.resource);
    const booked = await bookedOf(deps, viewer.credential, care);
    const nameOf = await namesOf(deps, viewer, [
      ...care.holds.map(({ hold }) => hold.holder),
      ...booked.map(({ requester }) => requester),
    ]);
    const back = ownPath(typed.back);
    return c.html(
      <FormPage title={`Take ${care.name} out of service`} viewer={viewer} failed={failed}>
        <form class="stack" method="post" action={OUT}>
          <HiddenFields fields={{ resource: care.name, back }} />
          {care.slots.length > 1 && <SlotField care={care} chosen={typed.slot} failed={failed} />}
          <ReasonField value={typed.reason} failed={failed} />
          <p class="hint">
            <Afterwards care={care} nameOf={nameOf} />
            <BookedThen booked={booked} care={care} nameOf={nameOf} zone={zoneOf(c)} />
          </p>
          <Buttons back={back}>
            <button type="submit" class="primary" id="out-of-service">
              Out of service
            </button>
          </Buttons>
        </form>
      </FormPage>,
      failed?.status ?? 200,
    );
  };

  return new Hono<DashboardEnv>()
    .use('/dashboard/condition/*', (c, next) => (c.req.path.endsWith('/broken') ? next() : needs('define')(c, next)))
    .get(OUT, (c) => show(c, readQuery(c, OutForm)))
    .post(OUT, async (c) => {
      const form = await readForm(c, OutForm);
      const { viewer } = c.var;
      const tried = await attempt(deps, c, async () => {
        const reason = form.reason?.trim() ?? '';
        if (reason === '') refuseField('reason', 'say what is wrong: everybody sees it');
        if (form.slot === '') refuseField('slot', 'choose which slot');
        const care = await readCare(deps.engine, viewer.credential, form.slot ?? form.resource);
        await setCondition(deps, viewer, [{ resource: care.name, condition: 'out', reason }]);
        return care;
      });
      if (!tried.ok) return show(c, form, tried);
      rememberChange(c, deps.publicUrl, before(tried.result));
      return c.redirect(backTo(form.back, { done: 'out', what: tried.result.name }), 303);
    })
    .post(BACK, async (c) => {
      const { resource, from, back } = await readForm(c, BackForm);
      const { viewer } = c.var;
      const tried = await attempt(deps, c, async () => {
        const care = await readCare(deps.engine, viewer.credential, resource);
        const items = itemsOf(care, from);
        await setCondition(deps, viewer, items);
        return { care, isAny: items.length > 0 };
      });
      if (!tried.ok) return showFailure(c, 'Not changed', back, tried);
      const { care, isAny } = tried.result;
      if (!isAny) return showFailure(c, 'Not changed', back, NOTHING);
      rememberChange(c, deps.publicUrl, before(care));
      return c.redirect(backTo(back, { done: from === 'out' ? 'back' : 'clean', what: care.name }), 303);
    })
    .post(UNDO, async (c) => {
      const { resource, back } = await readForm(c, UndoForm);
      const changed = lastChange(c, deps.publicUrl);
      if (changed?.resource !== resource) return showFailure(c, 'Not taken back', back, TOO_LATE);
      const { was: condition, reason } = changed;
      const tried = await attempt(deps, c, () => setCondition(deps, c.var.viewer, [{ resource, condition, reason }]));
      if (!tried.ok) return showFailure(c, 'Not taken back', back, tried);
      rememberChange(c, deps.publicUrl, null);
      return c.redirect(backTo(back, { done: 'asBefore', what: resource }), 303);
    });
};

const NOTHING: Failed = { status: 409, fault: 'Nothing was changed: somebody else has done that already.' };
const TOO_LATE: Failed = { status: 409, fault: 'It was not taken back: it is too late for that.' };

/** Makes those slots ready that are in a condition. Others, as those that have to be cleaned, stay as they are. */
function itemsOf({ name, slots, notReady }: Care, from: 'out' | 'dirty') {
  const meant = notReady.filter(({ condition }) => condition === from);
  const names = meant.length === slots.length ? [name] : meant.map(({ slot }) => slot);
  return meant.length === 0 ? [] : names.map((resource) => ({ resource, condition: 'ready' as const }));
}

interface SlotFieldProps {
  readonly care: Care;
  readonly chosen: string | undefined;
  readonly failed: Failed | undefined;
}

/** Which slot of a pool. */
const SlotField = ({ care, chosen, failed }: SlotFieldProps) => (
  <label>
    Which
    <select name="slot" required {...faultOf({ of: 'slot', failed })}>
      <option value="">Choose</option>
      {care.slots.map((slot) => (
        <option value={slot} selected={slot === chosen}>
          {slot}
        </option>
      ))}
      <option value={care.name} selected={care.name === chosen}>
        All {number(care.capacity)} slots
      </option>
    </select>
    <Fault of="slot" failed={failed} />
  </label>
);

/** Returns the bookings of a resource, the first to begin first. A page does without them rather than fail. */
const bookedOf = ({ engine }: DashboardDeps, credential: Credential, { name, resource }: Care) =>
  readBookings(engine, credential, { resource })
    .then((all) => all.filter(({ slot, state }) => state !== 'RUNNING' && (name === resource || slot === name)))
    .catch(() => []);

interface BookedThenProps {
  readonly booked: readonly Booking[];
  readonly care: Care;
  readonly nameOf: NameOf;
  readonly zone: string;
}

/** The consequences for bookings. */
const BookedThen = ({ booked, care: { capacity }, nameOf, zone }: BookedThenProps) => {
  const [first] = booked;
  if (first === undefined) return null;
  const when = rangeText(Date.parse(first.start), Date.parse(first.end), zone);
  return (
    <>
      {' '}
      It is booked {booked.length === 1 ? 'once' : `${number(booked.length)} times`}
      {booked.length === 1 ? ': ' : ', first by '}
      {nameOf(first.requester)}, {when}. Bookings stay. One that begins while it is out of service{' '}
      {capacity > 1 ? 'gets another slot if one is free, else it waits' : 'waits'} until it is back, at most until the
      booking’s end.
    </>
  );
};

/** The consequences for its holder and for those who wait. */
const Afterwards = ({ care: { holds }, nameOf }: { care: Care; nameOf: NameOf }) => {
  const [first, ...others] = holds;
  if (first === undefined) return <>Nobody gets it until it is back in service. Those who wait for it go on waiting.</>;
  const { holder, until } = first.hold;
  if (others.length > 0 || holder === '')
    return <>Those who have it keep it. Nobody else gets it until it is back in service.</>;
  return (
    <>
      {nameOf(holder)} keeps it
      {until !== null && (
        <>
          {' '}
          until <Clock at={until} />
        </>
      )}
      . Nobody else gets it until it is back in service.
    </>
  );
};
