/**
 * The page that messages link to: what is with a resource now, and what the person can do about it. Opening it does
 * nothing. A person who looks at another tenant is asked to switch first (docs/specification.md#personal-notices).
 */
import { Hono } from 'hono';
import { z } from 'zod';
import { PERSONAL_NOTICES } from '../../../domain/notices.ts';
import { NOTICE_PAGE, noticePath } from '../../../domain/personalNotices.ts';
import { HiddenFields } from '../../components/hiddenFields.tsx';
import { Page } from '../../components/layout.tsx';
import { ResourceState } from '../../components/resourceState.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../../env.ts';
import { readQuery } from '../../form.ts';
import { actionPath, MY_NOTICES } from '../../paths.ts';
import { namesOf } from '../../people.ts';
import { stateReader } from '../../resource/careOf.ts';
import { may } from '../../viewer.ts';

const Query = z.object({ tenant: z.string(), notice: z.enum(PERSONAL_NOTICES), resource: z.string() });

export const noticeRoutes = (deps: DashboardDeps) => {
  const readState = stateReader(deps);
  return new Hono<DashboardEnv>().get(NOTICE_PAGE, async (c) => {
    const { viewer } = c.var;
    const { tenant, notice, resource } = readQuery(c, Query);
    const here = noticePath(tenant, notice, resource);
    if (tenant !== viewer.credential.tenant)
      return c.html(
        <Page title={resource} viewer={viewer}>
          <Elsewhere tenant={tenant} viewer={viewer} here={here} />
        </Page>,
      );
    const state = await readState(viewer, resource);
    const nameOf = await namesOf(deps, viewer, state?.requester ? [state.requester] : []);
    return c.html(
      <Page title={resource} viewer={viewer} done={c.req.query('done')} renew={{ from: here }}>
        <section class="card pad">
          {state && <ResourceState state={state} viewer={viewer} nameOf={nameOf} back={here} />}
          {state?.heldByRequester === false && may(viewer, 'reserve') && (
            <p class="buttons">
              <a class="button" href={actionPath('reserve', { resource, back: here })}>
                {state.reservable === false ? 'Join the queue' : 'Reserve it'}
              </a>
            </p>
          )}
        </section>
        <p>
          <a href={MY_NOTICES}>Choose what you are told</a>
        </p>
      </Page>,
    );
  });
};

/** The message is of another tenant than the person looks at. */
const Elsewhere = ({ tenant, viewer, here }: { tenant: string; viewer: Viewer; here: string }) => {
  const there = viewer.memberships.find((one) => one.tenant === tenant);
  if (there === undefined) return <p class="notice">This is of the tenant {tenant}, of which you are no member.</p>;
  return (
    <form method="post" action="/dashboard/switch">
      <p>
        This is of the tenant <strong>{there.name}</strong>. You are looking at {viewer.user.tenantName}.
      </p>
      <HiddenFields fields={{ tenant, to: here }} />
      <p class="buttons">
        <button type="submit">Switch to {there.name}</button>
      </p>
    </form>
  );
};
