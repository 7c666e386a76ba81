/**
 * What a form asks for is done by the API itself, for the session that sent it: one way to check it, one way to do it, one set of messages.
 */
import type { Context } from 'hono';
import { z } from 'zod';
import type { DashboardDeps, DashboardEnv } from './env.ts';

/** What the API answered. */
export type Reply =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly status: number; readonly fault: string };

const Fault = z.union([z.string(), z.object({ error: z.string() }).transform(({ error }) => error)]);

/** @param c of the form's request, whose origin has been checked */
export async function callApi(
  { request }: DashboardDeps,
  c: Context<DashboardEnv>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply> {
  const headers = new Headers({ 'Sec-Fetch-Site': 'same-origin', 'X-Request-Id': c.get('requestId') });
  for (const name of ['Cookie', 'X-Forwarded-For']) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await request(path, init, c.env);
  const answer: unknown = await response.json();
  if (response.ok) return { ok: true, body: answer };
  const { data: fault = 'That did not succeed.' } = Fault.safeParse(answer);
  return { ok: false, status: response.status, fault: sentence(fault) };
}

/** A 400 says what is wrong as the end of a sentence, for programs; for people it begins with a capital and ends with a full stop. */
function sentence(fault: string): string {
  const plain = fault.replace(/^\[0\]\./, '');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1).replace(/\.?$/, '.')}`;
}
