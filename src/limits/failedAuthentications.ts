/**
 * Failed authentications are limited for each client address (decisions, section 8), so that keys cannot be guessed at speed. All
 * instances count together; an address that has failed too often is refused by those that know of it until its window ends,
 * whatever key it brings.
 */
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { LimitError } from '../domain/errors.ts';
import { type RedisClient, send } from '../engine/redis.ts';

const WINDOW_S = 60;

export class FailedAuthentications {
  readonly #limiter: RateLimiterRedis;
  /** Address → ms of performance.now() at which its window ends. Redis decides; this only remembers what it said. */
  readonly #refused = new Map<string, number>();

  /** @param limit failures that an address may have in a minute */
  constructor(redis: RedisClient, limit: number) {
    this.#limiter = new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: 'failedAuthentications',
      points: limit,
      duration: WINDOW_S,
    });
  }

  /**
   * @param addressOf gives the address; not asked for as long as none is refused
   * @throws LimitError where the address has failed too often
   */
  check(addressOf: () => string): void {
    if (this.#refused.size === 0) return;
    const address = addressOf();
    const until = this.#refused.get(address);
    if (until === undefined) return;
    const leftMs = until - performance.now();
    if (leftMs > 0) throw this.#error(leftMs);
    this.#refused.delete(address);
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
      this.#refused.set(address, performance.now() + refusal.msBeforeNext);
      throw this.#error(refusal.msBeforeNext);
    }
  }

  #forgetEnded(): void {
    const now = performance.now();
    for (const [address, until] of this.#refused) if (until <= now) this.#refused.delete(address);
  }

  #error(leftMs: number): LimitError {
    return new LimitError('Too many failed authentications from this address.', {
      limitType: 'FailedAuthentications',
      limit: this.#limiter.points,
      tier: null,
      retryAfter: Math.max(1, Math.ceil(leftMs / 1000)),
      upgradeRequired: false,
    });
  }
}
