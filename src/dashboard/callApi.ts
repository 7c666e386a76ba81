/**
 * What a form asks for is done by the API itself, for the session that sent it: one way to check it, one way to do it,
 * one set of messages.
 */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import type { DashboardDeps, DashboardEnv } from './env.ts';

/** What the API answered. */
export type Reply = { readonly ok: true; readonly body: unknown } | Failed;

/** What is to be told to whoever sent the form. */
export interface Failed {
  readonly ok: false;
  readonly status: ContentfulStatusCode;
  readonly fault: string;
}

const Fault = z.union([z.string(), z.object({ error: z.string() }).transform(({ error }) => error)]);

/** That the API answers where something fails. */
const STATUSES: readonly ContentfulStatusCode[] = [400, 401, 403, 404, 409, 413, 429, 503];

/** @param c of the form's request, whose origin has been checked */
export async function callApi(
  { request }: DashboardDeps,
  c: Context<DashboardEnv>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply> {
  const headers = new Headers({ 'Sec-Fetch-Site': 'same-origin' });
  for (const name of ['Cookie', 'X-Forwarded-For']) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await request(path, init, { ...c.env, innerRequestId: c.get('requestId') });
  const answer: unknown = await response.json();
  if (response.ok) return { ok: true, body: answer };
  const { data: fault = 'That did not succeed.' } = Fault.safeParse(answer);
  const retryAfter = response.headers.get('Retry-After');
  if (retryAfter !== null) c.header('Retry-After', retryAfter);
  return { ok: false, status: STATUSES.find((status) => status === response.status) ?? 500, fault: sentence(fault) };
}

/**
 * A 400 says what is wrong as the end of a sentence, for programs; for people it begins with a capital and ends with a
 * full stop.
 */
function sentence(fault: string): string {
  const plain = fault.replace(/^\[0\]\./, '');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1).replace(/\.?$/, '.')}`;
}
