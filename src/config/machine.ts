/**
 * Recognizes hosts that are this machine, for which http without TLS is safe.
 */
const NAMES = new Set(['127.0.0.1', 'localhost', '::1', '[::1]']);

/**
 * @param hostname the host of a URL, or an address that a server listens on. Names that end in .localhost are this
 * machine (RFC 6761, 6.3)
 */
export const isThisMachine = (hostname: string): boolean => NAMES.has(hostname) || hostname.endsWith('.localhost');
