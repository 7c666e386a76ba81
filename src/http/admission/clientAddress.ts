/**
 * The address of a client, by which failed authentications and requests without a key are counted.
 */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

/**
 * Finds the address of a client: that of its connection, or behind proxies of our own, the address that the outermost
 * proxy saw. Entries further left in X-Forwarded-For come from the client and prove nothing.
 * @param trustedProxies how many proxies of our own each request passes through
 */
export const clientAddress = (c: { readonly env: { readonly incoming: IncomingMessage } }, trustedProxies: number) =>
  addressOf(c.env.incoming, trustedProxies);

/** As clientAddress(), for a request that has not reached the application yet. */
export function addressOf({ socket, headers }: IncomingMessage, trustedProxies: number): string {
  const connected = socket.remoteAddress ?? '';
  if (trustedProxies === 0) return network(connected);
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((part) => part.trim());
  return network(forwarded.at(-trustedProxies) || connected);
}

/** Returns the network that counts as one client: for IPv6 the /64, since a client has a whole one. */
function network(address: string): string {
  // Most addresses are of IPv4, and isIPv6() tries a long pattern.
  if (!address.includes(':') || !isIPv6(address)) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const start = head.split(':').filter(Boolean);
  if (tail === undefined) return start.slice(0, 4).join(':');
  if (/^ffff:\d+\.\d+\.\d+\.\d+$/.test(tail) && start.length === 0) return tail.slice('ffff:'.length);
  const end = tail.split(':').filter(Boolean);
  const zeros = Array.from({ length: Math.max(0, 8 - start.length - end.length) }, () => '0');
  return [...start, ...zeros, ...end].slice(0, 4).join(':');
}
