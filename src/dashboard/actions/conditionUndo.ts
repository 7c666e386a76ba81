/** Taking back a change of condition: a cookie remembers what a resource was before (undoCookie.ts). */
import type { Context } from 'hono';
import type { DashboardEnv } from '../env.ts';
import { Changed } from './changedCondition.ts';
import { fits, readUndo, writeUndo } from './undoCookie.ts';

const COOKIE = 'condition';

/** The last change of the browser; null: none that can be taken back */
export const lastChange = (c: Context<DashboardEnv>, publicUrl: string | undefined): Changed | null =>
  readUndo(c, publicUrl, COOKIE, Changed);

/** @param changed null: the last change cannot be taken back, and neither can the one before */
export const rememberChange = (
  c: Context<DashboardEnv>,
  publicUrl: string | undefined,
  changed: Changed | null,
): void => writeUndo(c, publicUrl, COOKIE, fits(changed) ? changed : null);
