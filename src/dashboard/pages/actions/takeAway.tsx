/**
 * The question before somebody takes away what another person or program holds.
 */

import { Hono } from 'hono';
import { z } from 'zod';
import { HiddenFields } from '../../components/hiddenFields.tsx';
import { Page } from '../../components/layout.tsx';
import { ResourceState } from '../../components/resourceState.tsx';
import type { DashboardDeps, DashboardEnv } from '../../env.ts';
import { readQuery } from '../../form.ts';
import { ownPath } from '../../paths.ts';
import { namesOf } from '../../people.ts';
import { stateReader } from '../../resource/careOf.ts';
import { needs } from '../../viewer.ts';

const AT = '/dashboard/take-away';

const Query = z.object({ resource: z.string(), requester: z.string(), back: z.string().optional() });

export const takeAwayRoutes = (deps: DashboardDeps) => {
  const readState = stateReader(deps);

  return new Hono<DashboardEnv>().use(AT, needs('reserve')).get(AT, async (c) => {
    const { viewer } = c.var;
    const { resource, requester, back } = readQuery(c, Query);
    const state = await readState(viewer, resource).catch(() => null);
    const nameOf = await namesOf(deps, viewer, [requester, ...(state?.requester ? [state.requester] : [])]);
    const fields = { resource, requester, back: ownPath(back) };
    return c.html(
      <Page title={`Take ${resource} away?`} viewer={viewer}>
        {state && <ResourceState state={state} viewer={viewer} nameOf={nameOf} back={ownPath(back)} />}
        <p>
          <strong>{nameOf(requester)}</strong> loses it, and who is next in the queue gets it. A program learns that
          when it renews or releases. The events say that it was you.
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
