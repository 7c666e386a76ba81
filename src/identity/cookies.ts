/**
 * The names of cookies. Behind TLS they begin with `__Host-`: then the browser takes them from this very host alone,
 * over TLS, and no page of a sibling host can plant one.
 */

/** Whether people see the service over TLS. */
export const isBehindTls = (publicUrl: string | undefined): boolean => publicUrl?.startsWith('https:') ?? false;

/** @param what such as `session` */
export const cookieName = (publicUrl: string | undefined, what: string): string =>
  `${isBehindTls(publicUrl) ? '__Host-' : ''}holdfast_${what}`;
