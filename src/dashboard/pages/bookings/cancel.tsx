/**
 * Cancels a booking, or it and the later ones of its series; for those who may release what others hold, all bookings
 * of a resource. Asks first.
 */
import { Hono } from 'hono';
import { z } from 'zod';
import { cancelBookings } from '../../../operations/bookings.ts';
import { CANCEL } from '../../bookings/paths.ts';
import { readBookings } from '../../bookings/read.ts';
import { showFailure } from '../../components/failurePage.tsx';
import { Buttons, FormPage } from '../../components/formPage.tsx';
import { HiddenFields } from '../../components/hiddenFields.tsx';
import type { DashboardDeps, DashboardEnv } from '../../env.ts';
import { attempt, readForm, readQuery } from '../../form.ts';
import { backTo, ownPath } from '../../paths.ts';
import { isOwnOf, namesOf } from '../../people.ts';
import { needs } from '../../viewer.ts';
import { rangeText } from '../../words/moments.ts';
import { number } from '../../words/numbers.ts';
import { zoneOf } from '../../zone.ts';
import { bookingOf } from './change.tsx';

const ALL = `${CANCEL}/all`;

const Form = z.object({
  booking: z.string(),
  resource: z.string(),
  /** Which button was pressed. */
  of: z.enum(['one', 'series']).default('one'),
  back: z.string().optional(),
});
const AllForm = z.object({ resource: z.string(), back: z.string().optional() });

export const cancelRoutes = (deps: DashboardDeps) =>
  new Hono<DashboardEnv>()
    .use(CANCEL, needs('reserve'))
    .use(ALL, needs('force'))
    .get(CANCEL, async (c) => {
      const { viewer } = c.var;
      const form = readQuery(c, Form);
      const one = await bookingOf(deps, viewer, form);
      const nameOf = await namesOf(deps, viewer, [one.requester]);
      const isMine = isOwnOf(viewer)(one.requester);
      const back = ownPath(form.back);
      return c.html(
        <FormPage title={`Cancel the booking of ${one.slot}?`} viewer={viewer}>
          <p>
            {nameOf(one.requester)}: {rangeText(Date.parse(one.start), Date.parse(one.end), zoneOf(c))}
            {one.note !== null && ` · ${one.note}`}
          </p>
          {one.state === 'RUNNING' && <p>It has begun: it is released.</p>}
          {!isMine && <p class="hint">The events and the audit trail say that it was you.</p>}
          <form method="post" action={CANCEL}>
            <HiddenFields fields={{ booking: one.booking, resource: one.resource, back }} />
            <Buttons back={back} leave="Keep it">
              {one.series !== undefined && (
                <button type="submit" class="danger" id="cancel-series" name="of" value="series">
                  This one and all later ones
                </button>
              )}
              <button type="submit" class="danger" id="cancel-one" name="of" value="one">
                {one.series === undefined ? 'Cancel the booking' : 'This one only'}
              </button>
            </Buttons>
          </form>
        </FormPage>,
      );
    })
    .post(CANCEL, async (c) => {
      const { viewer } = c.var;
      const { back, of, ...form } = await readForm(c, Form);
      const tried = await attempt(deps, c, async () => {
        const { booking, series, start, resource } = await bookingOf(deps, viewer, form);
        const from = Math.floor(Date.parse(start) / 1000);
        const which = of === 'series' && series !== undefined ? { series, from } : { booking };
        return { resource, ...(await cancelBookings(deps, viewer.credential, which)).result };
      });
      if (!tried.ok) return showFailure(c, 'Not cancelled', back, tried);
      const { resource, cancelled } = tried.result;
      return c.redirect(backTo(back, said(resource, cancelled)), 303);
    })
    .get(ALL, async (c) => {
      const { viewer } = c.var;
      const { resource, back } = readQuery(c, AllForm);
      const all = await readBookings(deps.engine, viewer.credential, { resource });
      const others = all.filter(({ requester }) => !isOwnOf(viewer)(requester)).length;
      return c.html(
        <FormPage title={`Cancel all bookings of ${resource}?`} viewer={viewer}>
          <p>
            {number(all.length)} bookings end, {number(others)} of them of others.
          </p>
          <form method="post" action={ALL}>
            <HiddenFields fields={{ resource, back: ownPath(back) }} />
            <Buttons back={ownPath(back)} leave="Keep them">
              <button type="submit" class="danger" id="cancel-all">
                Cancel all of them
              </button>
            </Buttons>
          </form>
        </FormPage>,
      );
    })
    .post(ALL, async (c) => {
      const { resource, back } = await readForm(c, AllForm);
      const tried = await attempt(deps, c, () => cancelBookings(deps, c.var.viewer.credential, { resource }));
      if (!tried.ok) return showFailure(c, 'Not cancelled', back, tried);
      return c.redirect(backTo(back, said(resource, tried.result.result.cancelled)), 303);
    });

const said = (what: string, cancelled: number) => ({
  done: cancelled === 1 ? 'unbooked' : 'unbookedMany',
  what,
  count: String(cancelled),
});
