/**
 * A cookie that remembers for a while what a person can take back, so that no address can propose something else
 * (docs/specification.md#reserving-by-hand). It is for this person in this tenant: the same browser may sign in to
 * another one, where a resource may have the same name.
 */
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import { cookieName, digestOf } from '../../identity/credentials.ts';
import type { DashboardEnv } from '../env.ts';
import { cookieOptions } from '../session/device.ts';

/** Characters of what it remembers: browsers keep 4,096 bytes of a cookie. */
const MAX_LENGTH = 3000;

const textOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The person in the tenant, in a form that tells neither. */
const ownerOf = ({ var: { credential } }: Context<DashboardEnv>): string =>
  digestOf(`${credential.tenant} ${credential.actor}`);

export const fits = (value: unknown): boolean => textOf(value).length <= MAX_LENGTH;

/** Returns what the cookie of this name remembers; null if it is not there, malformed, or of somebody else. */
export function readUndo<Schema extends z.ZodType>(
  c: Context<DashboardEnv>,
  publicUrl: string | undefined,
  name: string,
  schema: Schema,
): z.infer<Schema> | null {
  const text = Buffer.from(getCookie(c, cookieName(publicUrl, name)) ?? '', 'base64url').toString();
  try {
    const [owner, value]: unknown[] = z.array(z.unknown()).parse(JSON.parse(text));
    return owner === ownerOf(c) ? schema.parse(value) : null;
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
  const text = value === null ? '' : textOf([ownerOf(c), value]);
  setCookie(c, cookieName(publicUrl, name), text, cookieOptions(publicUrl, lastsMs));
}
