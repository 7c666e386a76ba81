/**
 * The address that a request comes from: that of its connection, or where proxies of our own stand before us, the one
 * that the outermost of them saw. Anything further left in X-Forwarded-For is the client's own say.
 */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

/** @param trustedProxies how many proxies of our own each request comes through; 0 none */
export const clientAddress = (c: { readonly env: { readonly incoming: IncomingMessage } }, trustedProxies: number) =>
  addressOf(c.env.incoming, trustedProxies);

/** As clientAddress, of a request that the application does not have yet. */
export function addressOf({ socket, headers }: IncomingMessage, trustedProxies: number): string {
  const connected = socket.remoteAddress ?? '';
  if (trustedProxies === 0) return network(connected);
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((part) => part.trim());
  return network(forwarded.at(-trustedProxies) || connected);
}

/** An IPv6 client has a whole /64 to itself, so that is what counts as its address. */
function network(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const start = head.split(':').filter(Boolean);
  if (tail === undefined) return start.slice(0, 4).join(':');
  if (/^ffff:\d+\.\d+\.\d+\.\d+$/.test(tail) && start.length === 0) return tail.slice('ffff:'.length);
  const end = tail.split(':').filter(Boolean);
  const zeros = Array.from({ length: Math.max(0, 8 - start.length - end.length) }, () => '0');
  return [...start, ...zeros, ...end].slice(0, 4).join(':');
}
