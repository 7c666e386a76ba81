/**
 * Releases what a person has as broken: it is out of service in the same step, so nobody gets it
 * (docs/specification.md#condition).
 */

import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { unreserve } from '../../../operations/reservations.ts';
import { ReasonField } from '../../components/fields.tsx';
import { Buttons, Fault, FormPage, faultOf } from '../../components/formPage.tsx';
import { HiddenFields } from '../../components/hiddenFields.tsx';
import type { DashboardDeps, DashboardEnv } from '../../env.ts';
import { attempt, check, type Failed, readForm, readQuery, refuseField } from '../../form.ts';
import { releaseSchema } from '../../formSchemas.ts';
import { backTo, ownPath } from '../../paths.ts';
import { readCare } from '../../resource/careOf.ts';
import { needs } from '../../viewer.ts';
import { NOT_RELEASED } from './end.tsx';

const AT = '/dashboard/condition/broken';

/** One slot, or several. */
const slots = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const Form = z.object({
  resource: z.string(),
  requester: z.string(),
  /** The broken ones, if it holds several. */
  slots: slots.optional(),
  /** Present if the person had to choose. */
  several: z.string().optional(),
  reason: z.string().optional(),
  back: z.string().optional(),
});
type Form = z.output<typeof Form>;

export const brokenRoutes = (deps: DashboardDeps) => {
  const Releases = releaseSchema(deps);

  const show = async (c: Context<DashboardEnv>, typed: Form, failed?: Failed) => {
    const { resource, requester } = typed;
    const { viewer } = c.var;
    const back = ownPath(typed.back);
    const { holds } = await readCare(deps.engine, viewer.credential, resource);
    const own = holds.flatMap(({ slot, hold }) => (hold.holder === requester ? [slot] : []));
    return c.html(
      <FormPage title={`Release ${resource} as broken`} viewer={viewer} failed={failed}>
        <form class="stack" method="post" action={AT}>
          <HiddenFields fields={{ resource, requester, back }} />
          {own.length > 1 && <BrokenSlots slots={own} typed={typed} failed={failed} />}
          <ReasonField value={typed.reason} failed={failed} />
          <p class="hint">It is released and out of service in one step. Nobody gets it until it is back in service.</p>
          <Buttons back={back}>
            <button type="submit" class="primary" id="broken">
              Release as broken
            </button>
          </Buttons>
        </form>
      </FormPage>,
      failed?.status ?? 200,
    );
  };

  return new Hono<DashboardEnv>()
    .use(AT, needs('reserve'))
    .get(AT, (c) => show(c, readQuery(c, Form)))
    .post(AT, async (c) => {
      const form = await readForm(c, Form, true);
      const { resource, requester, several, back } = form;
      const tried = await attempt(deps, c, async () => {
        const reason = form.reason?.trim() ?? '';
        if (several !== undefined && form.slots === undefined) refuseField('slots', 'choose what is broken');
        if (reason === '') refuseField('reason', 'say what is wrong: everybody sees it');
        const item = { resource, requester, condition: 'out', reason, ...(form.slots && { slots: form.slots }) };
        return unreserve(deps, c.var.viewer.credential, check(Releases, [item]));
      });
      if (!tried.ok) return show(c, form, tried);
      const [result] = tried.result.result;
      if (result?.status !== 'RELINQUISHED') {
        const { status = '', explanation = '' } = result ?? {};
        return show(c, form, {
          status: explanation === 'INVALID_RELEASE_TOKEN' ? 403 : 409,
          fault: NOT_RELEASED.get(explanation) ?? NOT_RELEASED.get(status) ?? explanation,
        });
      }
      // The settings of a tenant may leave it to others to take something out of service.
      const done = result.condition === 'out' ? 'broken' : 'soiled';
      return c.redirect(backTo(back, { done, what: form.slots?.join(', ') ?? resource }), 303);
    });
};

interface BrokenSlotsProps {
  readonly slots: readonly string[];
  readonly typed: Form;
  readonly failed: Failed | undefined;
}

const BrokenSlots = ({ slots: all, typed, failed }: BrokenSlotsProps) => (
  <fieldset {...faultOf({ of: 'slots', failed })}>
    <legend>Broken, of what is released</legend>
    <input type="hidden" name="several" value="true" />
    {all.map((slot) => (
      <label class="check">
        <input type="checkbox" name="slots" value={slot} checked={typed.slots?.includes(slot)} /> {slot}
      </label>
    ))}
    <Fault of="slots" failed={failed} />
  </fieldset>
);
