/**
 * The question before somebody takes away what another person or program holds.
 */

import { Hono } from 'hono';
import { z } from 'zod';
import { PERSON_PREFIX } from '../../../domain/names.ts';
import { MAX_CLAIM_SECONDS } from '../../../domain/waiting.ts';
import { resourceStates } from '../../../engine/reservations/states.ts';
import { HiddenFields } from '../../components/hiddenFields.tsx';
import { Page } from '../../components/layout.tsx';
import { ResourceState } from '../../components/resourceState.tsx';
import { When } from '../../components/when.tsx';
import type { DashboardDeps, DashboardEnv } from '../../env.ts';
import { readQuery } from '../../form.ts';
import { ownPath } from '../../paths.ts';
import { namesOf } from '../../people.ts';
import { stateReader } from '../../resource/careOf.ts';
import { needs } from '../../viewer.ts';

const AT = '/dashboard/take-away';
/** Slots of a pool in which the reservation is looked for. */
const SLOTS = 100;

const Query = z.object({ resource: z.string(), requester: z.string(), back: z.string().optional() });

export const takeAwayRoutes = (deps: DashboardDeps) => {
  const readState = stateReader(deps);

  return new Hono<DashboardEnv>().use(AT, needs('reserve')).get(AT, async (c) => {
    const { viewer } = c.var;
    const { resource, requester, back } = readQuery(c, Query);
    const state = await readState(viewer, resource).catch(() => null);
    const [seen] = await resourceStates(deps.engine, viewer.credential, [resource], { slots: SLOTS }).catch(() => []);
    const next = seen?.queue[0]?.requester;
    const since = seen?.slots.find(({ hold }) => hold?.holder === requester)?.hold?.since;
    const nameOf = await namesOf(deps, viewer, [requester, state?.requester ?? '', next ?? '']);
    const fields = { resource, requester, back: ownPath(back) };
    return c.html(
      <Page title={`Take ${resource} away?`} viewer={viewer}>
        {state && <ResourceState state={state} viewer={viewer} nameOf={nameOf} back={ownPath(back)} />}
        <p>
          <strong>{nameOf(requester)}</strong>
          {since && (
            <>
              {' '}
              has had it for <When at={since} as="since" />, and
            </>
          )}{' '}
          loses it.{' '}
          {next === undefined ? (
            'Nobody waits for it. '
          ) : (
            <>
              <strong>{nameOf(next)}</strong> is next in the queue: it is offered to them, and goes on to the next if
              they do not take it in time: a person has {MAX_CLAIM_SECONDS / 60} minutes for that.{' '}
            </>
          )}
          {requester.startsWith(PERSON_PREFIX)
            ? 'They see it on these pages, and are told where they have chosen that under My notices.'
            : 'A program learns that it has lost it when it renews or releases.'}{' '}
          The history says that it was you.
        </p>
        <form method="post" action="/dashboard/release" class="buttons">
          <HiddenFields fields={fields} />
          <button type="submit" class="danger" id="take-away">
            Take away
          </button>
          <a class="button" href={ownPath(back)}>
            Cancel
          </a>
        </form>
      </Page>,
    );
  });
};
