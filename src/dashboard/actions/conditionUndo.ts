/**
 * Taking back a change of condition: a cookie remembers for a minute what a resource was before, so that no address can
 * propose something else (docs/specification.md#reserving-by-hand).
 */
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { cookieName } from '../../identity/credentials.ts';
import type { DashboardEnv } from '../env.ts';
import { cookieOptions } from '../session/startSession.ts';
import { Changed } from './changedCondition.ts';

const LASTS_MS = 60_000;
/** Browsers keep 4,096 bytes of a cookie. */
const MAX_LENGTH = 3000;

const nameOf = (publicUrl: string | undefined) => cookieName(publicUrl, 'condition');

/** The last change of the browser; null: none that can be taken back */
export function lastChange(c: Context<DashboardEnv>, publicUrl: string | undefined): Changed | null {
  const text = Buffer.from(getCookie(c, nameOf(publicUrl)) ?? '', 'base64url').toString();
  try {
    return Changed.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** @param changed null: the last change cannot be taken back, and neither can the one before */
export function rememberChange(c: Context<DashboardEnv>, publicUrl: string | undefined, changed: Changed | null): void {
  const text = changed === null ? '' : Buffer.from(JSON.stringify(changed)).toString('base64url');
  setCookie(c, nameOf(publicUrl), text.length > MAX_LENGTH ? '' : text, cookieOptions(publicUrl, LASTS_MS));
}
