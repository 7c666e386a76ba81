/**
 * Recognizes hosts that are this machine, for which http without TLS is safe.
 */
import { isIPv4 } from 'node:net';

const NAMES = new Set(['localhost', '::1', '[::1]']);

/**
 * @param hostname the host of a URL, or an address that a server listens on. Names that end in .localhost are this
 * machine (RFC 6761, 6.3), and so are all addresses that begin with 127 (RFC 1122, 3.2.1.3)
 */
export const isThisMachine = (hostname: string): boolean =>
  NAMES.has(hostname) || hostname.endsWith('.localhost') || (isIPv4(hostname) && hostname.startsWith('127.'));
