/**
 * The pages that book, change and cancel (docs/specification.md#bookings).
 */
import { Hono } from 'hono';
import type { DashboardDeps, DashboardEnv } from '../../env.ts';
import { bookRoutes } from './book.tsx';
import { cancelRoutes } from './cancel.tsx';
import { changeRoutes } from './change.tsx';
import { hereRoutes } from './here.tsx';

export function bookingRoutes(deps: DashboardDeps): Hono<DashboardEnv> {
  const app = new Hono<DashboardEnv>();
  for (const routes of [bookRoutes, changeRoutes, cancelRoutes, hereRoutes]) app.route('/', routes(deps));
  return app;
}
