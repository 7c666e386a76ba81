/**
 * Fetches the keys of JWT issuers from the addresses that tenants have registered (docs/specification.md#jwt-exchange).
 */
import { createRemoteJWKSet, customFetch, type FetchImplementation, type RemoteJWKSet } from 'jose';
import { z } from 'zod';
import { addressFault, type Rules } from '../outgoing/addresses.ts';
import { get } from '../outgoing/request.ts';

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

const rulesOf = (allowPrivate: boolean): Rules => ({ allowPrivate, allowHttp: allowPrivate });

/**
 * Checks a JWKS address, without looking up its name.
 * @param allowPrivate whether keys may be fetched from private addresses, and without TLS
 * @returns the end of a sentence that starts with the field's name; null: no fault
 */
export const jwksAddressFault = (address: string, allowPrivate: boolean): string | null =>
  addressFault(address, rulesOf(allowPrivate));

/** Makes a fetch that keeps to the rules for addresses of tenants, and limits the size of the response. */
const fetcher =
  (rules: Rules): FetchImplementation =>
  async (address, { headers, signal }) => {
    const { status, body, isWhole } = await get(address, {
      headers: Object.fromEntries(headers),
      signal,
      rules,
      keepBytes: MAX_BYTES,
    });
    if (status !== 200) throw new Error(`the response has status ${status}`);
    if (!isWhole) throw new Error('the response is too large');
    KeySet.parse(JSON.parse(body));
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
    this.#fetch = fetcher(rulesOf(allowPrivate));
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
