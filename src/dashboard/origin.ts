/**
 * Where the service is, as whoever looks at a page sees it.
 */
import type { Context } from 'hono';
import type { DashboardDeps, DashboardEnv } from './env.ts';

export const originOf = ({ publicUrl }: DashboardDeps, c: Context<DashboardEnv>): string =>
  publicUrl ?? new URL(c.req.url).origin;
