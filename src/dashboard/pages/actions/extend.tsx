/**
 * Extends a reservation: it then ends some time from now (docs/specification.md#renewals).
 */

import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { resourceStates } from '../../../engine/reservations/states.ts';
import { readTerms } from '../../../engine/tenant/record.ts';
import { requesterOf } from '../../../engine/tenant/signIns.ts';
import { renew } from '../../../operations/reservations.ts';
import { leaseFields, leaseOf, longerChoice } from '../../actions/lease.ts';
import { Buttons, FormPage } from '../../components/formPage.tsx';
import { HiddenFields } from '../../components/hiddenFields.tsx';
import { chosenEnd, LeaseFields } from '../../components/leaseFields.tsx';
import { Clock, When } from '../../components/when.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../../env.ts';
import { attempt, check, type Failed, readForm, readQuery, refuseField } from '../../form.ts';
import { renewSchema } from '../../formSchemas.ts';
import { backTo, ownPath } from '../../paths.ts';
import { needs } from '../../viewer.ts';
import { zoneOf } from '../../zone.ts';

const AT = '/dashboard/extend';

const Form = z.object({
  resource: z.string(),
  /** By default the person. */
  requester: z.string().optional(),
  back: z.string().optional(),
  ...leaseFields,
});
type Form = z.output<typeof Form>;

const NOT_EXTENDED: ReadonlyMap<string, string> = new Map([
  ['NOT_RESERVED', 'It was not extended: nobody holds it any more.'],
  ['DOESNT_OWN_RESERVATION', 'It was not extended: somebody else holds it by now.'],
  ['INVALID_RELEASE_TOKEN', 'It was not extended: only its holder and operators may do that.'],
]);

export const extendRoutes = (deps: DashboardDeps) => {
  const Renews = renewSchema(deps);

  const show = async (c: Context<DashboardEnv>, typed: Form, failed?: Failed) => {
    const { viewer } = c.var;
    const { resource, requester = requesterOf(viewer.user) } = typed;
    const [terms, endsAt] = await Promise.all([
      readTerms(deps.engine, viewer.credential),
      // The page does without the end rather than fail.
      readEnd(deps, viewer, resource, requester).catch(() => null),
    ]);
    const back = ownPath(typed.back);
    const lease = {
      terms,
      typed,
      failed,
      zone: zoneOf(c),
      mayLast: false,
      first: endsAt === null ? null : longerChoice(endsAt, terms),
    };
    const end = chosenEnd(lease);
    return c.html(
      <FormPage title={`Extend ${resource}`} viewer={viewer} failed={failed}>
        <p class="hint">
          {requester !== requesterOf(viewer.user) && <>Held by {requester}. </>}
          {endsAt !== null && (
            <>
              It ends at <Clock at={endsAt} />, in <When at={endsAt} as="in" />.{' '}
            </>
          )}
          Lengths with + count from its end, others from now. To end it earlier, release it, or say when under “Other…”.
        </p>
        <form class="stack" method="post" action={AT}>
          <HiddenFields fields={{ resource, requester, back }} />
          <LeaseFields {...lease} />
          <Buttons back={back}>
            <button type="submit" class="primary">
              <span>
                Extend until <span data-until>{end === null ? '…' : <Clock at={end} />}</span>
              </span>
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
      const form = await readForm(c, Form);
      const { credential, user } = c.var.viewer;
      const { resource, requester = requesterOf(user) } = form;
      const extended = await attempt(deps, c, async () => {
        const ttlSeconds = leaseOf(form);
        if (ttlSeconds === undefined) refuseField('ttlSeconds', 'choose how long you need it');
        return renew(deps, credential, check(Renews, [{ resource, requester, ttlSeconds }]));
      });
      if (!extended.ok) return show(c, form, extended);
      for (const { status, explanation } of extended.result.result)
        if (status !== 'RENEWED') {
          const fault = NOT_EXTENDED.get(explanation) ?? NOT_EXTENDED.get(status) ?? explanation;
          return show(c, form, { status: explanation === 'INVALID_RELEASE_TOKEN' ? 403 : 409, fault });
        }
      const until = extended.result.result[0]?.expiresAt;
      return c.redirect(backTo(form.back, { done: 'extended', what: resource, until }), 303);
    });
};

/**
 * When the latest of a requester's reservations of a resource ends, in ms since 1970 UTC; null: not known, or never.
 */
async function readEnd(
  { engine }: DashboardDeps,
  { credential }: Viewer,
  resource: string,
  requester: string,
): Promise<number | null> {
  const [state] = await resourceStates(engine, credential, [resource], { slots: 1, requesters: [requester] });
  const ends = (state?.slots ?? []).flatMap(({ hold }) =>
    hold?.holder === requester && hold.resource === resource && hold.until !== null ? [Date.parse(hold.until)] : [],
  );
  return ends.length === 0 ? null : Math.max(...ends);
}
