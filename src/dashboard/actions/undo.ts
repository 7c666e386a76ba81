/**
 * Taking back a release: what a person has just released, they reserve again for the rest of the time, with the note
 * (docs/specification.md#reserving-by-hand). A cookie remembers it for a minute, so that no address can propose
 * something else.
 */
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import type { ResourceState } from '../../engine/reservations/states.ts';
import { cookieName } from '../../identity/credentials.ts';
import type { DashboardEnv } from '../env.ts';
import { cookieOptions } from '../session/startSession.ts';
import { Released } from './released.ts';

const LASTS_MS = 60_000;
/** Characters of a cookie: browsers keep 4,096 bytes of one. */
const MAX_LENGTH = 3000;
const MAX_RELEASES = 4;

/** Returns what a requester is about to release; null: it is not known, or it cannot be reserved again as it was */
export function releasedOf(
  state: ResourceState | undefined,
  { resource, requester }: Pick<Released, 'resource' | 'requester'>,
): Released | null {
  // If somebody waits, it is theirs at once.
  if (state === undefined || state.waiting > 0) return null;
  const holds = state.slots.flatMap(({ hold }) =>
    hold?.kind === 'own' && hold.resource === resource && hold.holder === requester ? [hold] : [],
  );
  const [first] = holds;
  if (first === undefined || first.hasSession || first.isUnclaimed) return null;
  return {
    resource,
    requester,
    untilMs: first.until === null ? null : Date.parse(first.until),
    ...(first.note !== undefined && { note: first.note }),
    ...(holds.length > 1 && { count: holds.length }),
  };
}

const nameOf = (publicUrl: string | undefined) => cookieName(publicUrl, 'released');

/** The latest releases of the browser, newest first. */
export function latestReleases(c: Context<DashboardEnv>, publicUrl: string | undefined): Released[] {
  const text = Buffer.from(getCookie(c, nameOf(publicUrl)) ?? '', 'base64url').toString();
  try {
    return z.array(Released).parse(JSON.parse(text));
  } catch {
    return [];
  }
}

/** Remembers a release, and forgets older ones that the cookie has no room for. */
export function remember(c: Context<DashboardEnv>, publicUrl: string | undefined, released: Released): void {
  const others = latestReleases(c, publicUrl).filter(({ resource }) => resource !== released.resource);
  const all = [released, ...others].slice(0, MAX_RELEASES);
  const textOf = () => Buffer.from(JSON.stringify(all)).toString('base64url');
  while (all.length > 1 && textOf().length > MAX_LENGTH) all.pop();
  if (textOf().length <= MAX_LENGTH) setCookie(c, nameOf(publicUrl), textOf(), cookieOptions(publicUrl, LASTS_MS));
}
