/**
 * The forms that add demo data to a tenant and remove it. They have no page of their own, unless they fail.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { BOARD } from '../board/query.ts';
import { Page } from '../components/layout.tsx';
import { addDemo, removeDemo } from '../demo/demo.ts';
import { EXAMPLES } from '../demo/demoData.ts';
import type { DashboardDeps, DashboardEnv } from '../env.ts';
import { type Attempt, attempt, readForm } from '../form.ts';
import { backTo, type Done, ownPath } from '../paths.ts';
import { needs } from '../viewer.ts';

const AT = '/dashboard/demo';

const Try = z.object({ example: z.enum(['phone', 'environment', 'pool']) });
const Back = z.object({ back: z.string().optional() });

export const demoRoutes = (deps: DashboardDeps) => {
  const finish = (c: Context<DashboardEnv>, back: string, tried: Attempt<Done>) =>
    tried.ok
      ? c.redirect(backTo(back, tried.result), 303)
      : c.html(
          <Page title="Demo data" viewer={c.var.viewer} failed={tried}>
            <p>
              <a href={ownPath(back)}>Back to the page</a>
            </p>
          </Page>,
          tried.status,
        );
  return new Hono<DashboardEnv>()
    .use(AT, needs('define'))
    .use(`${AT}/*`, needs('define'))
    .post(AT, async (c) => {
      const add = async () => ({ done: 'demo', count: String(await addDemo(deps, c.var.viewer)) });
      return finish(c, BOARD, await attempt(deps, c, add));
    })
    .post(`${AT}/try`, async (c) => {
      const { example } = await readForm(c, Try);
      const add = async () => {
        await addDemo(deps, c.var.viewer, EXAMPLES[example]);
        return { done: 'registered', what: EXAMPLES[example].at(-1) };
      };
      return finish(c, BOARD, await attempt(deps, c, add));
    })
    .post(`${AT}/remove`, async (c) => {
      const { back = BOARD } = await readForm(c, Back);
      const removed = await attempt(deps, c, async () => {
        const kept = await removeDemo(deps, c.var.viewer);
        return kept === 0 ? { done: 'demoRemoved' } : { done: 'demoKept', count: String(kept) };
      });
      return finish(c, back, removed);
    });
};
