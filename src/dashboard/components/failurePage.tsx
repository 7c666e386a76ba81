/**
 * The page of a form that has no page of its own, if it fails.
 */
import type { Context } from 'hono';
import type { DashboardEnv } from '../env.ts';
import type { Failed } from '../form.ts';
import { ownPath } from '../paths.ts';
import { Page } from './layout.tsx';

export const showFailure = (c: Context<DashboardEnv>, title: string, back: string | undefined, failed: Failed) =>
  c.html(
    <Page title={title} viewer={c.var.viewer} failed={failed}>
      <p>
        <a href={ownPath(back)}>Back to the page</a>
      </p>
    </Page>,
    failed.status,
  );
