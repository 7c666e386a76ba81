/**
 * The pages of notices for people who have signed in.
 */
import { Hono } from 'hono';
import type { DashboardDeps, DashboardEnv } from '../../env.ts';
import { myNoticesRoutes } from './myNotices.tsx';
import { noticeRoutes } from './notice.tsx';
import { pushRoutes } from './push.tsx';
import { slackAppRoutes } from './slackApp.tsx';
import { subscriptionRoutes } from './subscription.tsx';
import { subscriptionsRoutes } from './subscriptions.tsx';

export const noticesRoutes = (deps: DashboardDeps) => {
  const app = new Hono<DashboardEnv>();
  for (const routes of [
    myNoticesRoutes,
    pushRoutes,
    noticeRoutes,
    subscriptionsRoutes,
    subscriptionRoutes,
    slackAppRoutes,
  ])
    app.route('/', routes(deps));
  return app;
};
