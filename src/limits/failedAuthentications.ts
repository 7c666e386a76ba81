/**
 * Failed authentications are limited for each client address (docs/specification.md#limits), so that keys cannot be
 * guessed at speed. All instances count together. Instances that know of an address that has failed too often refuse it
 * until its window ends, but for valid keys: other callers may share the address with whoever failed.
 */
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { HoldfastError, LimitError } from '../domain/errors.ts';
import type { RedisClient } from '../redis/client.ts';
import { FAILED_AUTHENTICATIONS_PREFIX } from '../redis/keys.ts';
import { send } from '../redis/send.ts';
import { RecentlyValid } from './recentlyValid.ts';

const WINDOW_S = 60;

/** Keys that are looked up in a second for an address that is refused, in case they are valid. */
const LOOK_UPS_PER_SECOND = 10;

interface Refused {
  /** ms of performance.now() at which its window ends. */
  readonly until: number;
  /** The second that look-ups were counted in last, and how many there were. */
  second: number;
  lookUps: number;
}

export class FailedAuthentications {
  readonly #limiter: RateLimiterRedis;
  /** By address. Redis decides; this only remembers what it said. */
  readonly #refused = new Map<string, Refused>();
  readonly #valid = new RecentlyValid();

  /** @param limit failures that an address may have in a minute */
  constructor(redis: RedisClient, limit: number) {
    this.#limiter = new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: FAILED_AUTHENTICATIONS_PREFIX,
      points: limit,
      duration: WINDOW_S,
    });
  }

  /**
   * @param addressOf gives the address; not asked for as long as none is refused
   * @throws LimitError where the address has failed too often
   */
  check(addressOf: () => string): void {
    const refused = this.#find(addressOf);
    if (refused !== undefined) throw this.#error(refused);
  }

  /**
   * Lets a credential through to where it is verified, unless its address has failed too often. From such an address
   * only credentials go through that were valid lately, or that a look-up finds valid; there are few look-ups.
   * @param asker the credential's, as the engine looks it up
   * @param lookUp throws unauthenticated where the credential is not valid
   * @returns whether the credential was looked up
   * @throws LimitError; whatever else lookUp throws
   */
  mayTry(addressOf: () => string, asker: string, lookUp: () => Promise<unknown>): false | Promise<true> {
    const refused = this.#find(addressOf);
    return refused === undefined || this.#valid.has(asker) ? false : this.#lookUp(refused, lookUp);
  }

  /** Notes that a credential has just been found valid. */
  noteValid(asker: string): void {
    this.#valid.add(asker);
  }

  /** Notes that a credential is not valid, or not any more. */
  noteInvalid(asker: string): void {
    this.#valid.delete(asker);
  }

  /**
   * Counts a failure.
   * @throws LimitError where the address has now failed too often; HoldfastError unavailable
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

  #find(addressOf: () => string): Refused | undefined {
    if (this.#refused.size === 0) return undefined;
    const address = addressOf();
    const refused = this.#refused.get(address);
    if (refused === undefined || refused.until > performance.now()) return refused;
    this.#refused.delete(address);
    return undefined;
  }

  async #lookUp(refused: Refused, lookUp: () => Promise<unknown>): Promise<true> {
    const second = Math.floor(performance.now() / 1000);
    if (refused.second !== second) Object.assign(refused, { second, lookUps: 0 });
    if (++refused.lookUps > LOOK_UPS_PER_SECOND) throw this.#error(refused);
    try {
      await lookUp();
    } catch (error) {
      throw error instanceof HoldfastError && error.code === 'unauthenticated' ? this.#error(refused) : error;
    }
    return true;
  }

  #forgetEnded(): void {
    const now = performance.now();
    for (const [address, { until }] of this.#refused) if (until <= now) this.#refused.delete(address);
  }

  #error({ until }: Refused): LimitError {
    return new LimitError('Too many failed authentications from this address.', {
      limitType: 'FailedAuthentications',
      limit: this.#limiter.points,
      tier: null,
      retryAfter: Math.max(1, Math.ceil((until - performance.now()) / 1000)),
      upgradeRequired: false,
    });
  }
}
