/**
 * Which hosts are this very machine, so that http without TLS is enough to reach them.
 */
const NAMES = new Set(['127.0.0.1', 'localhost', '::1', '[::1]']);

/**
 * @param hostname of a URL, or where something listens; whatever ends in .localhost is the machine itself (RFC 6761,
 * 6.3)
 */
export const isThisMachine = (hostname: string): boolean => NAMES.has(hostname) || hostname.endsWith('.localhost');
