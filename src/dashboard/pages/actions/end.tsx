/**
 * Ends what a person or somebody else holds or waits for: Release, which can be undone, Take away, Leave the queue. Has
 * no page of its own, unless it fails.
 */
import { Hono } from 'hono';
import { z } from 'zod';
import { resourceStates } from '../../../engine/reservations/states.ts';
import { isOwn } from '../../../operations/permissions.ts';
import { unreserve } from '../../../operations/reservations.ts';
import { cancelForm } from '../../actions/cancelWait.ts';
import { releasedOf, remember, takeBackForm } from '../../actions/undo.ts';
import { showFailure } from '../../components/failurePage.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../../env.ts';
import { attempt, check, readForm } from '../../form.ts';
import { releaseSchema } from '../../formSchemas.ts';
import { backTo } from '../../paths.ts';
import { needs } from '../../viewer.ts';

const RELEASE = '/dashboard/release';
const UNDO = '/dashboard/undo';
const LEAVE = '/dashboard/leave-queue';

const Release = z.object({
  resource: z.string(),
  requester: z.string(),
  /** Of what was cleaned or repaired. */
  condition: z.literal('ready').optional(),
  back: z.string().optional(),
});
const Undo = z.object({ resource: z.string(), back: z.string().optional() });
const Back = z.object({ back: z.string().optional() });

export const NOT_RELEASED: ReadonlyMap<string, string> = new Map([
  ['NOT_RESERVED', 'It was not released: it is free already.'],
  ['DOESNT_OWN_RESERVATION', 'It was not released: somebody else holds it by now.'],
  ['INVALID_RELEASE_TOKEN', 'It was not released: only its holder and operators may do that.'],
]);

export const endRoutes = (deps: DashboardDeps) => {
  const Releases = releaseSchema(deps);
  const cancelWait = cancelForm(deps);
  const takeBack = takeBackForm(deps);

  return new Hono<DashboardEnv>()
    .use(RELEASE, needs('reserve'))
    .use(UNDO, needs('reserve'))
    .use(LEAVE, needs('reserve'))
    .post(RELEASE, async (c) => {
      const { back, ...item } = await readForm(c, Release);
      const isOwnHold = isOwn(c.var.viewer.user, item.requester);
      // Without its state, it is released all the same, and cannot be undone.
      const before = isOwnHold ? await readBefore(deps, c.var.viewer, item).catch(() => undefined) : undefined;
      const released = await attempt(deps, c, async () =>
        unreserve(deps, c.var.viewer.credential, check(Releases, [item])),
      );
      if (!released.ok) return showFailure(c, 'Not released', back, released);
      for (const { status, explanation } of released.result.result)
        if (status !== 'RELINQUISHED') {
          const fault = NOT_RELEASED.get(explanation) ?? NOT_RELEASED.get(status) ?? explanation;
          const isForbidden = explanation === 'INVALID_RELEASE_TOKEN';
          return showFailure(c, 'Not released', back, { status: isForbidden ? 403 : 409, fault });
        }
      const undone = releasedOf(before, item);
      if (undone !== null) remember(c, deps.publicUrl, [undone]);
      const count = before && String(before.waiting);
      const done = item.condition ? 'readied' : isOwnHold ? 'released' : 'taken';
      return c.redirect(backTo(back, { done, what: item.resource, count }), 303);
    })
    .post(UNDO, async (c) => {
      const { back, resource } = await readForm(c, Undo);
      const tried = await takeBack(c, resource);
      return tried.ok
        ? c.redirect(backTo(back, { done: 'undone', what: resource, until: tried.result.expiresAt }), 303)
        : showFailure(c, 'Not taken back', back, tried);
    })
    .post(LEAVE, async (c) => {
      const { back } = await readForm(c, Back);
      const failed = await cancelWait(c);
      return failed
        ? showFailure(c, 'Still in the queue', back, failed)
        : c.redirect(backTo(back, { done: 'left' }), 303);
    });
};

const readBefore = async (
  { engine }: DashboardDeps,
  { credential }: Viewer,
  { resource, requester }: { resource: string; requester: string },
) => (await resourceStates(engine, credential, [resource], { slots: 16, requesters: [requester] }))[0];
