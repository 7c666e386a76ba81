/**
 * The cookie that names a browser to which personal notices are pushed (docs/specification.md#push). It outlives
 * sessions, so that pushes end when the person signs out, or somebody else signs in.
 */
import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { CookieOptions } from 'hono/utils/cookie';
import { z } from 'zod';
import { cookieName, isBehindTls } from '../../identity/credentials.ts';
import { forgetDevice } from '../../store/pushDevices.ts';
import type { DashboardDeps, DashboardEnv } from '../env.ts';

type DeviceDeps = Pick<DashboardDeps, 'publicUrl' | 'tenants'>;

/** Browsers keep no cookie for longer. */
const LASTS_MS = 400 * 24 * 3_600_000;

const nameOf = (publicUrl: string | undefined) => cookieName(publicUrl, 'device');

/** Returns the id of the browser; null: it has none */
export function deviceOf({ publicUrl }: Pick<DeviceDeps, 'publicUrl'>, c: Context<DashboardEnv>): string | null {
  return z.uuid().safeParse(getCookie(c, nameOf(publicUrl))).data ?? null;
}

/** Returns the id of the browser, which gets one if it has none. */
export function keepDevice(deps: Pick<DeviceDeps, 'publicUrl'>, c: Context<DashboardEnv>): string {
  const id = deviceOf(deps, c) ?? randomUUID();
  setCookie(c, nameOf(deps.publicUrl), id, cookieOptions(deps.publicUrl, LASTS_MS));
  return id;
}

/**
 * Ends the pushes of all tenants to the browser.
 * @param to whose pushes stay; null: nobody's
 * @throws HoldfastError unavailable
 */
export async function endPushes(deps: DeviceDeps, c: Context<DashboardEnv>, to: string | null): Promise<void> {
  const device = deviceOf(deps, c);
  if (device !== null && deps.tenants !== null) await forgetDevice(deps.tenants.store, device, to);
}

/**
 * How the cookies of the dashboard are set (docs/specification.md#dashboard-and-sign-in).
 * @param lifetimeMs ms that the browser keeps the cookie
 */
export const cookieOptions = (publicUrl: string | undefined, lifetimeMs: number): CookieOptions => ({
  path: '/',
  httpOnly: true,
  secure: isBehindTls(publicUrl),
  sameSite: 'Lax',
  maxAge: lifetimeMs / 1000,
});
