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

export const ProblemPage = ({ title, text, viewer }: Problem & { viewer: Viewer | null }) => (
  <Page title={title} viewer={viewer}>
    <p>{text}</p>
    <p>
      <a href="/dashboard">To the overview</a>
    </p>
  </Page>
);
