/**
 * Checks the Host header. Addresses of requests are made of it, here and in the libraries, so one that is no host of a
 * URL would fail somewhere later, as a fault of ours.
 */
import type { IncomingMessage } from 'node:http';

/** Hosts found sound lately: nearly every request has the same one. */
const sound = new Set<string>();
const MOST_REMEMBERED = 1000;

/** Would end the host, or be read as something else. */
const FOREIGN = /[^\w.:[\]-]/;

/** Whether there is one Host header, and a URL can have it. */
export function hasSoundHost({ headers, rawHeaders }: IncomingMessage): boolean {
  const { host = '' } = headers;
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count === 1 && (sound.has(host) || isSound(host));
}

function isSound(host: string): boolean {
  if (FOREIGN.test(host) || !URL.canParse(`http://${host}`)) return false;
  if (sound.size === MOST_REMEMBERED) sound.clear();
  sound.add(host);
  return true;
}
