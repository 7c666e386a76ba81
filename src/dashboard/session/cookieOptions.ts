/** How the cookies of the dashboard are set (docs/specification.md#dashboard-and-sign-in). */
import type { CookieOptions } from 'hono/utils/cookie';
import { isBehindTls } from '../../identity/credentials.ts';

/** @param lifetimeMs ms that the browser keeps the cookie */
export const cookieOptions = (publicUrl: string | undefined, lifetimeMs: number): CookieOptions => ({
  path: '/',
  httpOnly: true,
  secure: isBehindTls(publicUrl),
  sameSite: 'Lax',
  maxAge: lifetimeMs / 1000,
});
