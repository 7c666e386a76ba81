/**
 * The form that reserves several things together, all of them or none. Its address is that of the form for one, with
 * further names.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Terms } from '../../../domain/tenants.ts';
import { resourceStates } from '../../../engine/reservations/states.ts';
import { readTerms } from '../../../engine/tenant/record.ts';
import type { leaseFields } from '../../actions/lease.ts';
import { Names, reserveTogether } from '../../actions/together.ts';
import { NoteField } from '../../components/bookingFields.tsx';
import { Buttons, Fault, FormPage, faultOf } from '../../components/formPage.tsx';
import { LeaseFields } from '../../components/leaseFields.tsx';
import { List } from '../../components/registerForm.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../../env.ts';
import { attempt, type Failed, readForm } from '../../form.ts';
import { backTo, ownPath, togetherPath } from '../../paths.ts';
import { readLists } from '../../resource/registeredResources.ts';
import { needs } from '../../viewer.ts';
import { listText } from '../../words/labels.ts';
import { refusalOf } from '../../words/refusalWords.ts';
import { zoneOf } from '../../zone.ts';

const AT = '/dashboard/reserve';
const TOGETHER = `${AT}/together`;

/** Fields of the form at least, one of them empty. */
const FIELDS = 3;
/** Characters that a toast has room for. */
const MAX_SAID = 256;

const text = z
  .union([z.string(), z.array(z.string())])
  .transform((all) => (typeof all === 'string' ? all : (all.at(-1) ?? '')))
  .optional();
const Form = z.object({
  resource: Names,
  note: text,
  back: text,
  lease: text,
  until: text,
  untilExact: text,
} satisfies Record<keyof typeof leaseFields | 'resource' | 'note' | 'back', z.ZodType>);
type Form = z.output<typeof Form>;

export const togetherRoutes = (deps: DashboardDeps) => {
  const show = async (c: Context<DashboardEnv>, typed: Form, failed?: Failed) => {
    const { viewer } = c.var;
    const { engine } = deps;
    const [terms, lists, states] = await Promise.all([
      readTerms(engine, viewer.credential),
      readLists(engine, viewer.credential).catch(() => undefined),
      resourceStates(engine, viewer.credential, typed.resource, { slots: 0 }).catch(() => []),
    ]);
    const taken = states.filter(({ isRegistered, free }) => isRegistered && free === 0).map(({ name }) => name);
    const props = { viewer, typed, terms, taken, names: lists?.names ?? [], zone: zoneOf(c), failed };
    return c.html(<TogetherPage {...props} />, failed?.status ?? 200);
  };

  return new Hono<DashboardEnv>()
    .get(AT, async (c, next) => {
      const { resource = [], ...query } = c.req.queries();
      if (resource.length < 2) return next();
      const { data } = Form.safeParse({ ...query, resource });
      return data === undefined ? next() : show(c, data);
    })
    .post(TOGETHER, needs('reserve'), async (c) => {
      const form = await readForm(c, Form, true);
      const tried = await attempt(deps, c, () => reserveTogether(deps, c.var.viewer, form));
      if (!tried.ok) return show(c, form, tried);
      const { result } = tried;
      if ('until' in result) {
        const said = listText(form.resource);
        const what = said.length > MAX_SAID ? `${form.resource.length} things` : said;
        return c.redirect(backTo(form.back, { done: 'reservedMany', what, until: result.until }), 303);
      }
      const faults = result.refused.map((one) => {
        const { fault } = refusalOf(one, null, zoneOf(c));
        return fault.includes(`“${one.resource}”`) ? fault : `“${one.resource}”: ${fault}`;
      });
      return show(c, form, { status: 409, fault: `Nothing was reserved. ${faults.join(' ')}` });
    });
};

interface TogetherPageProps {
  readonly viewer: Viewer;
  readonly typed: Form;
  readonly terms: Terms;
  /** Those of the chosen names that are not free. */
  readonly taken: readonly string[];
  /** Registered names to choose from. */
  readonly names: readonly string[];
  readonly zone: string;
  readonly failed: Failed | undefined;
}

const TogetherPage = ({ viewer, typed, terms, taken, names, zone, failed }: TogetherPageProps) => {
  const { resource } = typed;
  const back = ownPath(typed.back);
  const count = resource.length;
  return (
    <FormPage
      title={count < 2 ? 'Reserve several things together' : `Reserve ${listText(resource)}`}
      viewer={viewer}
      failed={failed}
      renew={{ from: togetherPath(count < 2 ? [...resource, '', ''] : resource, back) }}
    >
      <form class="stack" method="post" action={TOGETHER}>
        <input type="hidden" name="back" value={back} />
        <fieldset class="several">
          <legend>Together: all of them, or none</legend>
          {Array.from({ length: Math.max(FIELDS, count + 1) }, (_, i) => (
            <input
              name="resource"
              list="known-names"
              value={resource[i] ?? ''}
              aria-label={`Resource ${i + 1}`}
              autocomplete="off"
              {...(i === 0 && faultOf({ of: 'resource', failed }))}
            />
          ))}
          <Fault of="resource" failed={failed} />
          <List id="known-names" values={names} />
        </fieldset>
        <p class="hint" data-live="taken">
          {taken.length > 0 && !failed && `Not free now: ${listText(taken)}.`}
        </p>
        <LeaseFields terms={terms} typed={typed} failed={failed} zone={zone} mayLast />
        <NoteField typed={typed} failed={failed} isRequired={terms.requireNote} />
        <Buttons back={back}>
          <button type="submit" class="primary" id="reserve-together">
            {count < 2 ? 'Reserve together' : count === 2 ? 'Reserve both' : `Reserve all ${count}`}
          </button>
        </Buttons>
      </form>
    </FormPage>
  );
};
