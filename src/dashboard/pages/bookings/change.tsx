/**
 * Changes the times or the note of a booking that has not begun: one's own, or that of another person for those who may
 * release what others hold.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { type Booking, BookingChange } from '../../../contract/bookings.ts';
import { HoldfastError } from '../../../domain/errors.ts';
import { readTerms } from '../../../engine/tenant/record.ts';
import { changeBooking } from '../../../operations/bookings.ts';
import { reserve } from '../../../operations/reservations.ts';
import { NO_POLLING } from '../../../operations/waiting.ts';
import { type Times, timeFields, timesOf, typedTimes } from '../../bookings/form.ts';
import { anotherPath, bookingPath, CANCEL, CHANGE, HERE } from '../../bookings/paths.ts';
import { nextTime, readBooking, stretchOf } from '../../bookings/read.ts';
import { NoteField, TimeFields } from '../../components/bookingFields.tsx';
import { showFailure } from '../../components/failurePage.tsx';
import { Buttons, FormPage } from '../../components/formPage.tsx';
import { HiddenFields } from '../../components/hiddenFields.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../../env.ts';
import { attempt, check, type Failed, readForm, readQuery } from '../../form.ts';
import { reserveSchema } from '../../formSchemas.ts';
import { backTo, ownPath } from '../../paths.ts';
import { isOwnOf, namesOf } from '../../people.ts';
import { needs } from '../../viewer.ts';
import { rangeText } from '../../words/moments.ts';
import { whyNotBooked } from '../../words/refusalWords.ts';
import { zoneOf } from '../../zone.ts';

const Form = z.object({
  booking: z.string(),
  resource: z.string(),
  ...timeFields,
  /** The start of the suggestion that was taken, in ms since 1970 UTC. */
  at: z.string().optional(),
  note: z.string().optional(),
  back: z.string().optional(),
});
type Form = z.output<typeof Form>;

/**
 * Finds the booking that a page is about.
 * @throws HoldfastError unknown
 */
export async function bookingOf(
  { engine }: Pick<DashboardDeps, 'engine'>,
  { credential }: Viewer,
  { booking, resource }: Pick<Form, 'booking' | 'resource'>,
): Promise<Booking> {
  const found = await readBooking(engine, credential, resource, booking);
  if (found === null) throw new HoldfastError('unknown', 'There is no such booking: it is over, or was cancelled.');
  return found;
}

export const changeRoutes = (deps: DashboardDeps) => {
  const show = async (c: Context<DashboardEnv>, typed: Form, failed?: Failed, other: Times | null = null) => {
    const { viewer } = c.var;
    const [terms, one] = await Promise.all([readTerms(deps.engine, viewer.credential), bookingOf(deps, viewer, typed)]);
    const known = stretchOf(one);
    const form = {
      note: one.note ?? '',
      ...typedTimes({ startMs: known.fromMs, endMs: known.toMs }),
      ...Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== undefined)),
    };
    const nameOf = await namesOf(deps, viewer, [one.requester]);
    const back = ownPath(typed.back);
    const whose = isOwnOf(viewer)(one.requester) ? '' : ` of ${nameOf(one.requester)}`;
    return c.html(
      <FormPage title={`Change the booking${whose}: ${one.slot}`} viewer={viewer} failed={failed}>
        <form class="stack" method="post" action={CHANGE}>
          <HiddenFields fields={{ booking: one.booking, resource: one.resource, back }} />
          {other !== null && (
            <button type="submit" id="suggested" name="at" value={String(other.startMs)}>
              Move it to {rangeText(other.startMs, other.endMs, zoneOf(c))} instead
            </button>
          )}
          <TimeFields typed={form} failed={failed} />
          <NoteField typed={form} failed={failed} isRequired={terms.requireNote} />
          <Buttons back={back} leave="Leave it">
            <a class="button" href={anotherPath(one, back)}>
              Move to another …
            </a>
            <a class="button danger" href={bookingPath(CANCEL, one, back)}>
              Cancel the booking …
            </a>
            <button type="submit" class="primary" id="change">
              Change it
            </button>
          </Buttons>
        </form>
      </FormPage>,
      failed?.status ?? 200,
    );
  };

  return new Hono<DashboardEnv>()
    .use(CHANGE, needs('reserve'))
    .get(CHANGE, (c) => show(c, readQuery(c, Form)))
    .post(CHANGE, async (c) => {
      const form = await readForm(c, Form);
      const { viewer } = c.var;
      const tried = await attempt(deps, c, async () => {
        const { startMs, endMs } = timesOf(form, form.at);
        const [start, end] = [startMs, endMs].map((ms) => new Date(ms).toISOString());
        const note = form.note?.trim() || null;
        const [change = {}] = check(z.array(BookingChange), [{ start, end, note }]);
        return (await changeBooking(deps, viewer.credential, form.booking, change)).result;
      });
      if (!tried.ok) return show(c, form, tried);
      const { status, booking: one, ...why } = tried.result;
      if (status === 'BOOKED') {
        const said = { done: 'moved', what: one.resource, start: one.start, until: one.end };
        return c.redirect(backTo(form.back, said), 303);
      }
      const nameOf = await namesOf(deps, viewer, [why.conflict?.requester ?? '']);
      const fault = whyNotBooked({ ...why, status, resource: one.resource }, nameOf, zoneOf(c), Date.now());
      const times = timesOf(form, form.at);
      const startMs = await nextTime(deps.engine, viewer, { resource: one.slot }, times, one.booking).catch(() => null);
      const other = startMs === null ? null : { startMs, endMs: startMs + times.endMs - times.startMs };
      return show(c, { ...form, at: undefined }, { status: 409, fault: `It is as it was. ${fault}` }, other);
    });
};

/**
 * "I am here": the person has come for a booking that would end without them (docs/specification.md#booking).
 */
const HereForm = z.object({ booking: z.string(), resource: z.string(), back: z.string().optional() });

const TOO_LATE: Failed = { status: 409, fault: 'Somebody else has it by now: the booking has ended.' };

export const hereRoutes = (deps: DashboardDeps) => {
  const Reserves = reserveSchema(deps);
  return new Hono<DashboardEnv>().use(HERE, needs('reserve')).post(HERE, async (c) => {
    const { viewer } = c.var;
    const { back, ...form } = await readForm(c, HereForm);
    const tried = await attempt(deps, c, async () => {
      const { slot, requester, end } = await bookingOf(deps, viewer, form);
      const ttlSeconds = Math.max(1, Math.ceil((Date.parse(end) - Date.now()) / 1000));
      const items = check(Reserves, [{ resource: slot, requester, ttlSeconds }]);
      return (await reserve(deps, viewer.credential, items, NO_POLLING)).result[0];
    });
    if (!tried.ok) return showFailure(c, 'Not taken', back, tried);
    const { status, expiresAt } = tried.result ?? {};
    // One that has ended in this moment is taken anew.
    if (status !== 'ALREADY_HAD' && status !== 'ACQUIRED') return showFailure(c, 'Not taken', back, TOO_LATE);
    return c.redirect(backTo(back, { done: 'here', what: form.resource, until: expiresAt }), 303);
  });
};
