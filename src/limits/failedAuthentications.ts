/**
 * Limits failed authentications of each client address (docs/specification.md#failed-authentications), so that keys
 * cannot be guessed quickly. All instances count together. An instance refuses an address that has failed too often
 * until its window ends, except for valid keys: other callers may share the address.
 */
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { HoldfastError, LimitError } from '../domain/errors.ts';
import type { RedisClient } from '../redis/client.ts';
import { FAILED_AUTHENTICATIONS_PREFIX } from '../redis/keys.ts';
import { send } from '../redis/send.ts';

const LIMIT_TYPE = 'FailedAuthentications';
const WINDOW_S = 60;

/** Number of keys a second that are looked up for a refused address, in case they are valid. */
const MAX_LOOK_UPS_PER_SECOND = 10;

/** Returns true if an error says that the client's address has failed too often: the caller is then unknown. */
export const isLockedOut = (error: unknown): boolean =>
  error instanceof LimitError && error.hit.limitType === LIMIT_TYPE;

interface Refused {
  /** End of its window, in ms of performance.now(). */
  readonly until: number;
  /** The last second in which look-ups were counted, and their number. */
  second: number;
  lookUps: number;
}

export class FailedAuthentications {
  readonly #limiter: RateLimiterRedis;
  /** By address. Redis decides; this map only caches its decisions. */
  readonly #refused = new Map<string, Refused>();
  readonly #valid = new RecentlyValid();

  /** @param limit maximum number of failures of an address in a minute */
  constructor(redis: RedisClient, limit: number) {
    this.#limiter = new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: FAILED_AUTHENTICATIONS_PREFIX,
      points: limit,
      duration: WINDOW_S,
    });
  }

  /** Returns true if the address has failed too often. */
  isRefused(address: string): boolean {
    return this.#find(address) !== undefined;
  }

  /** @throws LimitError if the address has failed too often */
  check(address: string): void {
    const refused = this.#find(address);
    if (refused !== undefined) throw this.#error(refused);
  }

  /**
   * Admits a credential whose address has not failed too often. From a refused address it admits only credentials that
   * were valid lately, or that a look-up finds valid; look-ups are limited.
   * @param credentialKey the string that scripts look the credential up by
   * @param lookUp throws unauthenticated if the credential is not valid
   * @returns whether the credential was looked up
   * @throws LimitError; any other error of lookUp
   */
  async mayTry(address: string, credentialKey: string, lookUp: () => Promise<unknown>): Promise<boolean> {
    const refused = this.#find(address);
    if (refused === undefined || this.#valid.has(credentialKey)) return false;
    await this.#lookUp(refused, lookUp);
    return true;
  }

  /** Notes that a credential is valid. */
  noteValid(credentialKey: string): void {
    this.#valid.add(credentialKey);
  }

  /** Notes that a credential is not valid. */
  noteInvalid(credentialKey: string): void {
    this.#valid.delete(credentialKey);
  }

  /**
   * Counts a failure.
   * @throws LimitError if the address has now failed too often; HoldfastError unavailable
   */
  async count(address: string): Promise<void> {
    try {
      await send(() => this.#limiter.consume(address));
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      this.#forgetEnded();
      const { second = 0, lookUps = 0 } = this.#refused.get(address) ?? {};
      const refused = { until: performance.now() + refusal.msBeforeNext, second, lookUps };
      this.#refused.set(address, refused);
      throw this.#error(refused);
    }
  }

  #find(address: string): Refused | undefined {
    const refused = this.#refused.get(address);
    if (refused === undefined || refused.until > performance.now()) return refused;
    this.#refused.delete(address);
    return undefined;
  }

  async #lookUp(refused: Refused, lookUp: () => Promise<unknown>): Promise<void> {
    const second = Math.floor(performance.now() / 1000);
    if (refused.second !== second) Object.assign(refused, { second, lookUps: 0 });
    if (++refused.lookUps > MAX_LOOK_UPS_PER_SECOND) throw this.#error(refused);
    try {
      await lookUp();
    } catch (error) {
      throw error instanceof HoldfastError && error.code === 'unauthenticated' ? this.#error(refused) : error;
    }
  }

  #forgetEnded(): void {
    const now = performance.now();
    for (const [address, { until }] of this.#refused) if (until <= now) this.#refused.delete(address);
  }

  #error({ until }: Refused): LimitError {
    return new LimitError('Too many failed authentications from this address.', {
      limitType: LIMIT_TYPE,
      limit: this.#limiter.points,
      tier: null,
      retryAfter: Math.max(1, Math.ceil((until - performance.now()) / 1000)),
      upgradeRequired: false,
    });
  }
}

/** A credential is remembered for at least this time, and at most twice as long. */
const GENERATION_MS = 300_000;
const MAX_REMEMBERED = 10_000;

/**
 * Remembers which credentials were valid lately. This authenticates nobody: it only decides whether a look-up is worth
 * its cost.
 */
class RecentlyValid {
  #young = new Set<string>();
  #old = new Set<string>();
  #since = performance.now();

  add(credentialKey: string): void {
    if (this.#young.size >= MAX_REMEMBERED || performance.now() - this.#since > GENERATION_MS) {
      this.#old = this.#young;
      this.#young = new Set();
      this.#since = performance.now();
    }
    this.#young.add(credentialKey);
  }

  has(credentialKey: string): boolean {
    return this.#young.has(credentialKey) || this.#old.has(credentialKey);
  }

  delete(credentialKey: string): void {
    this.#young.delete(credentialKey);
    this.#old.delete(credentialKey);
  }
}
