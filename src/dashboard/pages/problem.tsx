/**
 * The page for a failure.
 */
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { Page } from '../components/layout.tsx';
import type { Viewer } from '../env.ts';

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
