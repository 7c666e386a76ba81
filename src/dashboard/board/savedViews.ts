/**
 * Views of the Board that a person has saved: names for queries, in a cookie of their browser.
 */
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import { nameFault } from '../../domain/names.ts';
import { cookieName } from '../../identity/credentials.ts';
import type { DashboardEnv } from '../env.ts';
import { cookieOptions } from '../session/device.ts';
import { BOARD, type BoardQuery, fieldsOf, queryOf } from './query.ts';

/** Where forms save views. */
export const VIEWS_AT = `${BOARD}/views`;

export interface SavedView {
  readonly name: string;
  readonly query: BoardQuery;
}

export const MAX_SAVED = 8;
const MAX_NAME_LENGTH = 40;
/** Browsers drop a cookie of more than 4096 bytes. */
const MAX_LENGTH = 3500;
const KEPT_MS = 400 * 86_400_000;

const Saved = z.array(z.tuple([z.string(), z.string()])).max(MAX_SAVED);

const isName = (name: string) => nameFault(name, MAX_NAME_LENGTH) === null;

const nameOfCookie = (publicUrl: string | undefined) => cookieName(publicUrl, 'views');

/** The views of the browser that asks. A cookie that cannot be read has none. */
export function savedViews(c: Context<DashboardEnv>, publicUrl: string | undefined): SavedView[] {
  const { data = [] } = Saved.safeParse(parse(getCookie(c, nameOfCookie(publicUrl)) ?? ''));
  return data.flatMap(([name, search]) =>
    isName(name) ? [{ name, query: queryOf(new URLSearchParams(search)) }] : [],
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @returns whether there was room for all of them */
export function saveViews(
  c: Context<DashboardEnv>,
  publicUrl: string | undefined,
  views: readonly SavedView[],
): boolean {
  const all = views.map(({ name, query }) => [
    name,
    new URLSearchParams(fieldsOf({ ...query, view: 'timeline', span: 'today', page: 1, isSelected: false })).toString(),
  ]);
  const text = JSON.stringify(all);
  if (encodeURIComponent(text).length > MAX_LENGTH || all.length > MAX_SAVED) return false;
  setCookie(c, nameOfCookie(publicUrl), text, cookieOptions(publicUrl, KEPT_MS));
  return true;
}

/** The name of a view. */
export const ViewName = z.string().trim().min(1).max(MAX_NAME_LENGTH).refine(isName);
