/**
 * Checks the Host header. This service and its libraries build URLs from it, so an invalid host would fail later as an
 * internal error.
 */
import type { IncomingMessage } from 'node:http';

/** Hosts that were valid lately: nearly every request has the same one. */
const valid = new Set<string>();
const MAX_REMEMBERED = 1000;

/** Characters that would end the host, or change the meaning of the URL. */
const FOREIGN = /[^\w.:[\]-]/;

/** Returns whether there is exactly one Host header, and it is valid in a URL. */
export function hasValidHost({ headers, rawHeaders }: IncomingMessage): boolean {
  const { host = '' } = headers;
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count === 1 && (valid.has(host) || isValid(host));
}

function isValid(host: string): boolean {
  if (FOREIGN.test(host) || !URL.canParse(`http://${host}`)) return false;
  if (valid.size === MAX_REMEMBERED) valid.clear();
  valid.add(host);
  return true;
}
