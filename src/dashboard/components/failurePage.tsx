/**
 * The page for a failure.
 */

import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { DashboardEnv, Viewer } from '../env.ts';
import type { Failed } from '../form.ts';
import { ownPath } from '../paths.ts';
import { Page } from './layout.tsx';

export interface Problem {
  readonly status: ContentfulStatusCode;
  readonly title: string;
  readonly text: string;
}

export const ProblemPage = ({ status, title, text, viewer }: Problem & { viewer: Viewer | null }) => (
  <Page title={title} viewer={viewer}>
    <p>{text}</p>
    {status === 403 && viewer === null ? (
      // The provider would sign in the same person again.
      <form method="post" action="/dashboard/sign-out">
        <button type="submit">Sign out</button>
      </form>
    ) : (
      <p>
        <a class="button" href="/dashboard">
          To the Board
        </a>
      </p>
    )}
  </Page>
);

/**
 * The page of a form that has no page of its own, if it fails.
 */
export const showFailure = (c: Context<DashboardEnv>, title: string, back: string | undefined, failed: Failed) =>
  c.html(
    <Page title={title} viewer={c.var.viewer} failed={failed}>
      <p>
        <a href={ownPath(back)}>Back to the page</a>
      </p>
    </Page>,
    failed.status,
  );
