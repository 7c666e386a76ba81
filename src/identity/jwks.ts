/**
 * The keys of issuers of JWTs, fetched from the addresses that tenants have registered
 * (docs/specification.md#identity). Tenants are not trusted with what this service can reach: an address must be public
 * and https, unless configuration allows otherwise.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { get as getByHttp, type IncomingMessage } from 'node:http';
import { get as getByHttps, type RequestOptions } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { createRemoteJWKSet, customFetch, type FetchImplementation, type RemoteJWKSet } from 'jose';
import { z } from 'zod';

const TIMEOUT_MS = 3000;
const MAX_BYTES = 262_144;
/** How long keys are kept, and how soon after a fetch a key that is not among them is looked for again. */
const CACHE_MS = 600_000;
const COOLDOWN_MS = 30_000;
/** How long an address that failed is not asked again, however many JWTs name it. */
const FAILED_MS = 10_000;
/** Addresses whose keys are kept; the one used least recently goes first. */
const MOST_ADDRESSES = 1000;

const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  // Relays of 6to4.
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  // Unspecified, loopback and the old way to embed IPv4.
  ['::', 96],
  // IPv4 behind a translator (RFC 2765).
  ['::ffff:0:0:0', 96],
  // What is translated to IPv4 may come out anywhere.
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  // Documentation, and segment routing.
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv6');

/** Whether an address is one that the public cannot be at; IPv4 in the form of IPv6 counts as what it is. */
function isPrivate(address: string): boolean {
  return PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** The address itself where a URL names one, and no name. */
const literal = ({ hostname }: URL): string | null => {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? null : host;
};

/**
 * Says what is wrong with an address of keys, as the end of a sentence that begins with the field, as far as can be
 * seen without asking anybody; null where nothing is.
 */
export function jwksAddressFault(address: string, allowPrivate: boolean): string | null {
  if (!URL.canParse(address)) return 'must be an https address';
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') return 'must hold no credentials';
  if (allowPrivate) return /^https?:$/.test(url.protocol) ? null : 'must be an http or https address';
  if (url.protocol !== 'https:') return 'must be an https address';
  const host = literal(url);
  const isLocal = host === null ? /(^|\.)localhost\.?$/i.test(url.hostname) : isPrivate(host);
  return isLocal ? 'must not be a private address' : null;
}

/**
 * Looks a name up as usual, and refuses it where it leads to a private address: what is checked is what is connected
 * to.
 */
const publicLookup: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const [first] = addresses ?? [];
    if (error !== null || first === undefined) done(error ?? new Error('the name leads nowhere'), '', 4);
    else if (addresses.some(({ address }) => isPrivate(address)))
      done(new Error('the name leads to a private address'), '', 4);
    else if (options.all) done(null, addresses);
    else done(null, first.address, first.family);
  });
};

/** A fetch of keys that follows no redirect, reads no more than it must, and goes to public addresses alone. */
const fetcher =
  (allowPrivate: boolean): FetchImplementation =>
  async (address, { headers, signal }) => {
    const fault = jwksAddressFault(address, allowPrivate);
    if (fault !== null) throw new Error(`the address ${fault}`);
    const options: RequestOptions = {
      headers: Object.fromEntries(headers),
      signal,
      ...(allowPrivate ? {} : { lookup: publicLookup }),
    };
    const get = new URL(address).protocol === 'https:' ? getByHttps : getByHttp;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(address, options, resolve).once('error', reject);
    });
    if (response.statusCode !== 200) {
      response.destroy();
      throw new Error(`it answered ${response.statusCode}`);
    }
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of response) {
      length += chunk.length;
      if (length > MAX_BYTES) throw new Error('it holds too much');
      chunks.push(chunk);
    }
    const body = Buffer.concat(chunks);
    KeySet.parse(JSON.parse(body.toString()));
    return new Response(body);
  };

/** As much of a set of keys as shows that it is one. */
const KeySet = z.object({ keys: z.array(z.looseObject({})) });

/** Makes a fetch fail at once, with the same error, for a while after it failed. */
function rememberFailure(fetch: FetchImplementation): FetchImplementation {
  let failure: { readonly error: unknown; readonly untilMs: number } | null = null;
  return async (address, init) => {
    if (failure !== null && Date.now() < failure.untilMs) throw failure.error;
    failure = null;
    try {
      return await fetch(address, init);
    } catch (error) {
      failure = { error, untilMs: Date.now() + FAILED_MS };
      throw error;
    }
  };
}

/** The keys at each address, kept and fetched again as they age. */
export class JwksCache {
  readonly #fetch: FetchImplementation;
  readonly #sets = new Map<string, RemoteJWKSet>();

  /** @param allowPrivate whether addresses may be private, and without TLS */
  constructor(allowPrivate: boolean) {
    this.#fetch = fetcher(allowPrivate);
  }

  /** The keys at an address; they are fetched when one is asked for. */
  at(address: string): RemoteJWKSet {
    const set =
      this.#sets.get(address) ??
      createRemoteJWKSet(new URL(address), {
        timeoutDuration: TIMEOUT_MS,
        cacheMaxAge: CACHE_MS,
        cooldownDuration: COOLDOWN_MS,
        [customFetch]: rememberFailure(this.#fetch),
      });
    this.#sets.delete(address);
    this.#sets.set(address, set);
    const [oldest] = this.#sets.keys();
    if (this.#sets.size > MOST_ADDRESSES && oldest !== undefined) this.#sets.delete(oldest);
    return set;
  }
}
