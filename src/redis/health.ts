/**
 * Checks that Redis can be used: its faults, how long it has been away, and why it refuses connections.
 */

import { createConnection } from 'node:net';
import { parseRedisAddress } from './address.ts';
import type { RedisClient } from './client.ts';
import { PROBE_KEYS } from './keys.ts';
import { runScript } from './scripts.ts';
import { primariesOf } from './topology.ts';

const OLDEST_MAJOR = 7;

/**
 * Checks every primary: it has a supported version, evicts nothing (an evicted reservation is lost), and runs scripts
 * that write. Primaries of a cluster that do not respond are ignored if another one does, so that the tenants of the
 * others are served.
 * @returns the fault of this Redis; null: none
 * @throws HoldfastError unavailable, if Redis cannot be reached
 */
export async function redisFault(redis: RedisClient): Promise<string | null> {
  await any(PROBE_KEYS.map((key) => runScript(redis, 'probe', key)));
  const replies = await Promise.allSettled(primariesOf(redis).map((primary) => primary.info('server', 'memory')));
  const faults = replies.flatMap((reply) => (reply.status === 'fulfilled' ? (faultOf(reply.value) ?? []) : []));
  return faults[0] ?? null;
}

/**
 * Returns the share of its maxmemory, from 0 to 1, that the fullest primary uses.
 * @throws Error if a primary has no maxmemory, or cannot be reached
 */
export async function memoryUsed(redis: RedisClient): Promise<number> {
  const infos = await Promise.all(primariesOf(redis).map((primary) => primary.info('memory')));
  const shares = infos.map((info) => Number(fieldOf(info, 'used_memory')) / Number(fieldOf(info, 'maxmemory')));
  const used = Math.max(...shares);
  if (!Number.isFinite(used)) throw new Error('Redis has no maxmemory');
  return used;
}

/** Returns a field of INFO. */
const fieldOf = (info: string, name: string) => new RegExp(`^${name}:(.*)\r?$`, 'm').exec(info)?.[1]?.trim();

/** @param info the server and memory sections of INFO */
function faultOf(info: string): string | null {
  const version = fieldOf(info, 'redis_version') ?? '0';
  if (Number.parseInt(version, 10) < OLDEST_MAJOR)
    return `Redis ${OLDEST_MAJOR} or later is needed, this is ${version}`;
  // Some managed services leave out the policy, so that it cannot be checked.
  const policy = fieldOf(info, 'maxmemory_policy') ?? 'noeviction';
  return policy === 'noeviction' ? null : `Redis must have maxmemory-policy noeviction, it has ${policy}`;
}

/** Waits until one promise is fulfilled. If none is, throws the error of the first in the list. */
const any = <T>(promises: readonly Promise<T>[]): Promise<T> =>
  Promise.any(promises).catch((error: unknown) => {
    throw error instanceof AggregateError ? error.errors[0] : error;
  });

/**
 * Decides whether this process should be restarted: its clients have had no usable Redis for a while, although a new
 * client connects. While Redis itself is unreachable, no process is restarted.
 */
const CHECK_EVERY_MS = 5000;

export class Liveness {
  readonly #isUsable: () => Promise<boolean>;
  readonly #canConnect: () => Promise<boolean>;
  readonly #withinMs: number;
  readonly #timer: NodeJS.Timeout;
  #usableAt = performance.now();
  #fault: string | null = null;
  #isChecking = false;

  /**
   * @param isUsable whether the clients of this process can use Redis
   * @param canConnect whether a new client can
   * @param withinMs how long Redis may be unusable
   */
  constructor(isUsable: () => Promise<boolean>, canConnect: () => Promise<boolean>, withinMs: number) {
    this.#isUsable = isUsable;
    this.#canConnect = canConnect;
    this.#withinMs = withinMs;
    this.#timer = setInterval(() => void this.#check(), Math.min(CHECK_EVERY_MS, withinMs / 2));
  }

  /** Why the process should be restarted; null if it should not. */
  get fault(): string | null {
    return this.#fault;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    if (await this.#isUsable()) {
      this.#usableAt = performance.now();
      this.#fault = null;
    } else if (performance.now() - this.#usableAt >= this.#withinMs)
      this.#fault = (await this.#canConnect()) ? 'this instance has lost Redis, which new clients can reach' : null;
    this.#isChecking = false;
  }
}

const WITHIN_MS = 500;

/**
 * Reads why a Redis refuses connections: one in protected mode, or with too many clients, says so and hangs up, before
 * it reads anything. A client that writes at once gets a broken pipe and never sees the text. So this connects to the
 * first node of an address and listens, without sending anything.
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
