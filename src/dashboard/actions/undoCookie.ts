/**
 * A cookie that remembers for a while what a person can take back, so that no address can propose something else
 * (docs/specification.md#reserving-by-hand).
 */
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { z } from 'zod';
import { cookieName } from '../../identity/credentials.ts';
import type { DashboardEnv } from '../env.ts';
import { cookieOptions } from '../session/device.ts';

/** Characters of a cookie: browsers keep 4,096 bytes of one. */
const MAX_LENGTH = 3000;

const textOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

export const fits = (value: unknown): boolean => textOf(value).length <= MAX_LENGTH;

/** Returns what the cookie of this name remembers; null if it is not there, or malformed. */
export function readUndo<Schema extends z.ZodType>(
  c: Context<DashboardEnv>,
  publicUrl: string | undefined,
  name: string,
  schema: Schema,
): z.infer<Schema> | null {
  const text = Buffer.from(getCookie(c, cookieName(publicUrl, name)) ?? '', 'base64url').toString();
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * @param value that fits; null: to remember nothing
 * @param lastsMs for how long
 */
export function writeUndo(
  c: Context<DashboardEnv>,
  publicUrl: string | undefined,
  name: string,
  value: object | null,
  lastsMs: number,
): void {
  const text = value === null ? '' : textOf(value);
  setCookie(c, cookieName(publicUrl, name), text, cookieOptions(publicUrl, lastsMs));
}
