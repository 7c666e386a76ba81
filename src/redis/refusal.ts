/**
 * Reads why a Redis refuses connections: one in protected mode, or with too many clients, says so and hangs up, before
 * it reads anything. A client that writes at once gets a broken pipe and never sees the text.
 */
import { createConnection } from 'node:net';
import { parseRedisAddress } from './address.ts';

const WITHIN_MS = 500;

/**
 * Connects to the first node of an address and listens, without sending anything.
 * @returns what the node says; null if it says nothing, or cannot be reached
 */
export async function refusalOf(url: string): Promise<string | null> {
  const node = firstNode(url);
  if (node === null) return null;
  return new Promise((resolve) => {
    const socket = createConnection(node);
    const end = (text: string | null) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(text);
    };
    const timer = setTimeout(end, WITHIN_MS, null);
    socket.once('data', (data) => end(/^-([^\r\n]+)/.exec(data.toString())?.[1] ?? null));
    socket.once('error', () => end(null)).once('close', () => end(null));
  });
}

/** Returns null for a socket, where there is no protected mode, and for TLS, where a node says nothing in the clear. */
function firstNode(url: string): { readonly host: string; readonly port: number } | null {
  const address = parseRedisAddress(url);
  if (typeof address === 'string') return null;
  if (address.kind === 'single') {
    if (!URL.canParse(url) || !url.startsWith('redis://')) return null;
    const { hostname, port } = new URL(url);
    return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || 6379) };
  }
  if (address.tls) return null;
  return (address.kind === 'cluster' ? address.nodes : address.sentinels)[0] ?? null;
}
