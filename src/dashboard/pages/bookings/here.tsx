/**
 * "I am here": the person has come for a booking that would end without them (docs/specification.md#booking).
 */
import { Hono } from 'hono';
import { z } from 'zod';
import { reserve } from '../../../operations/reservations.ts';
import { NO_POLLING } from '../../../operations/waiting.ts';
import { HERE } from '../../bookings/paths.ts';
import { showFailure } from '../../components/failurePage.tsx';
import type { DashboardDeps, DashboardEnv } from '../../env.ts';
import { attempt, check, type Failed, readForm } from '../../form.ts';
import { reserveSchema } from '../../formSchemas.ts';
import { backTo } from '../../paths.ts';
import { needs } from '../../viewer.ts';
import { bookingOf } from './change.tsx';

const Form = z.object({ booking: z.string(), resource: z.string(), back: z.string().optional() });

const TOO_LATE: Failed = { status: 409, fault: 'Somebody else has it by now: the booking has ended.' };

export const hereRoutes = (deps: DashboardDeps) => {
  const Reserves = reserveSchema(deps);
  return new Hono<DashboardEnv>().use(HERE, needs('reserve')).post(HERE, async (c) => {
    const { viewer } = c.var;
    const { back, ...form } = await readForm(c, Form);
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
