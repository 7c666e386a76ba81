/**
 * Refuses requests that another site makes a browser send, since the browser adds the session cookie to them
 * (docs/specification.md#dashboard-and-sign-in).
 */
import type { Context } from 'hono';
import { HoldfastError } from '../domain/errors.ts';

/** Whether a request may change something, by its method. */
export const isChange = (method: string): boolean => !['GET', 'HEAD'].includes(method);

/** @throws HoldfastError forbidden if the request comes from another site */
export function refuseForeignOrigin(c: Context): void {
  const site = c.req.header('Sec-Fetch-Site');
  const origin = c.req.header('Origin');
  const isOurs =
    site === undefined
      ? origin !== undefined && URL.canParse(origin) && new URL(origin).host === c.req.header('Host')
      : site === 'same-origin';
  if (!isOurs) throw new HoldfastError('forbidden', 'This request comes from another site.');
}
