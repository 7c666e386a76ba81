/**
 * The names of cookies. Behind TLS they start with `__Host-`: browsers then accept them only from this host and over
 * TLS, so that no page of a sibling host can set one.
 */

/** Whether people see the service over TLS. */
export const isBehindTls = (publicUrl: string | undefined): boolean => publicUrl?.startsWith('https:') ?? false;

/** @param what such as `session` */
export const cookieName = (publicUrl: string | undefined, what: string): string =>
  `${isBehindTls(publicUrl) ? '__Host-' : ''}holdfast_${what}`;
