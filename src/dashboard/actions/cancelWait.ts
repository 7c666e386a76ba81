/**
 * The form that ends a wait. Pages that show who waits share it (docs/specification.md#waiting).
 */
import type { Context } from 'hono';
import { z } from 'zod';
import { cancel } from '../../operations/waiting.ts';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { attempt, check, type Failed, readForm } from '../form.ts';
import { cancelSchema } from '../formSchemas.ts';

const Wait = z.object({ requester: z.string(), resource: z.string() });

/**
 * Returns a handler of the form. It returns what failed; undefined: the wait has ended.
 */
export const cancelForm = (deps: DashboardDeps) => {
  const Cancels = cancelSchema(deps);
  return async (c: Context<DashboardEnv>): Promise<Failed | undefined> => {
    const item = await readForm(c, Wait);
    const cancelled = await attempt(deps, c, async () => cancel(deps, c.var.viewer.credential, check(Cancels, [item])));
    if (!cancelled.ok) return cancelled;
    return cancelled.result.result.every(({ status }) => status === 'CANCELLED')
      ? undefined
      : { status: 409, fault: 'Nothing was ended: this requester no longer waits for it.' };
  };
};
