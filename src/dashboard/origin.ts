/**
 * The origin of the service as the person who looks at a page sees it.
 */
import type { Context } from 'hono';
import type { DashboardDeps, DashboardEnv } from './env.ts';

export const originOf = ({ publicUrl }: Pick<DashboardDeps, 'publicUrl'>, c: Context<DashboardEnv>): string =>
  publicUrl ?? new URL(c.req.url).origin;
