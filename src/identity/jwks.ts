/**
 * Fetches the keys of JWT issuers from the addresses that tenants have registered (docs/specification.md#jwt-exchange).
 * Tenants must not reach internal hosts through this service: an address must be public and https, unless the
 * configuration allows others.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { get as getByHttp, type IncomingMessage } from 'node:http';
import { get as getByHttps, type RequestOptions } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { createRemoteJWKSet, customFetch, type FetchImplementation, type RemoteJWKSet } from 'jose';
import { z } from 'zod';

const TIMEOUT_MS = 3000;
const MAX_BYTES = 262_144;
/** Time for which keys are cached. */
const CACHE_MS = 600_000;
/** Time after a fetch in which an unknown key causes no other fetch. */
const COOLDOWN_MS = 30_000;
/** Time for which an address is not fetched again after it failed. */
const FAILED_MS = 10_000;
/** Maximum number of addresses whose keys are cached. The least recently used one is dropped. */
const MAX_ADDRESSES = 1000;

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
  // Unspecified, loopback and the deprecated embedding of IPv4.
  ['::', 96],
  // IPv4 behind a translator (RFC 2765).
  ['::ffff:0:0:0', 96],
  // Addresses that are translated to IPv4 may lead anywhere.
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

/** Returns true if an address is not public. IPv4 addresses in IPv6 form are checked as IPv4. */
function isPrivate(address: string): boolean {
  return PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Returns the IP address that a URL contains in place of a host name; null: none */
const literal = ({ hostname }: URL): string | null => {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? null : host;
};

/**
 * Checks a JWKS address, without looking up its name.
 * @returns the fault, as the end of a sentence that starts with the field's name; null: none
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
 * Looks up a name and refuses private addresses. The connection uses the checked addresses, so that a second lookup
 * cannot return others.
 */
const publicLookup: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const [first] = addresses ?? [];
    if (error !== null || first === undefined) done(error ?? new Error('the name has no address'), '', 4);
    else if (addresses.some(({ address }) => isPrivate(address)))
      done(new Error('the name has a private address'), '', 4);
    else if (options.all) done(null, addresses);
    else done(null, first.address, first.family);
  });
};

/** Makes a fetch that follows no redirects, limits the size of the response, and connects only to allowed addresses. */
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
      throw new Error(`the response has status ${response.statusCode}`);
    }
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of response) {
      length += chunk.length;
      if (length > MAX_BYTES) throw new Error('the response is too large');
      chunks.push(chunk);
    }
    const body = Buffer.concat(chunks);
    KeySet.parse(JSON.parse(body.toString()));
    return new Response(body);
  };

/** The outline of a key set; jose checks the keys. */
const KeySet = z.object({ keys: z.array(z.looseObject({})) });

/** Makes a fetch fail at once with the same error for a while after a failure. */
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

/** Caches the keys at each address. */
export class JwksCache {
  readonly #fetch: FetchImplementation;
  readonly #sets = new Map<string, RemoteJWKSet>();

  /** @param allowPrivate whether addresses may be private or without TLS */
  constructor(allowPrivate: boolean) {
    this.#fetch = fetcher(allowPrivate);
  }

  /** Returns the key set at an address. It is fetched when a key is needed. */
  keysAt(address: string): RemoteJWKSet {
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
    if (this.#sets.size > MAX_ADDRESSES && oldest !== undefined) this.#sets.delete(oldest);
    return set;
  }
}
