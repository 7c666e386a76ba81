/**
 * The quota of reads, in windows of a minute that all instances share: one for each GET and HEAD, one for each item of
 * a check and for each 1,000 that a list looks at.
 */
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { tierLimitError, WINDOW_S } from '../domain/limits.ts';
import type { Credential } from '../domain/tenants.ts';
import { TIERS, type Tier } from '../domain/tiers.ts';
import type { Engine } from '../engine/call.ts';
import { authenticate } from '../engine/tenant/authenticate.ts';
import { emitLimitReached } from '../engine/tenant/emitLimitReached.ts';
import { readsPrefix } from '../redis/keys.ts';
import { send } from '../redis/send.ts';

const LIMIT_TYPE = 'ReadsPerMinute';

export class ReadLimiter {
  readonly #engine: Engine;
  /** A window for each tenant and tier (docs/specification.md#limits). */
  readonly #limiters: ReadonlyMap<Tier, RateLimiterRedis>;

  constructor(engine: Engine) {
    this.#engine = engine;
    const limited = TIERS.flatMap((tier): [Tier, RateLimiterRedis][] => {
      const points = engine.tiers[tier].readsPerMinute;
      if (points === null) return [];
      const options = { storeClient: engine.redis, keyPrefix: readsPrefix(tier), duration: WINDOW_S[LIMIT_TYPE] };
      return [[tier, new RateLimiterRedis({ ...options, points })]];
    });
    this.#limiters = new Map(limited);
  }

  /**
   * Verifies the key and charges reads to its tenant. Reads that do not fit cost nothing.
   * @throws HoldfastError unauthenticated, unavailable; LimitError if the quota does not have as many left
   */
  async charge(credential: Credential, cost = 1): Promise<void> {
    const tier = await authenticate(this.#engine, credential);
    const limiter = this.#limiters.get(tier);
    if (limiter === undefined) return;
    const limit = limiter.points;
    const bucket = bucketOf(credential);
    try {
      const { remainingPoints, msBeforeNext } = await send(() => limiter.consume(bucket, cost));
      const resetS = Math.ceil(msBeforeNext / 1000);
      credential.quota = [{ limitType: LIMIT_TYPE, limit, remaining: remainingPoints, resetS }];
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      // The limiter counts what it refuses.
      await send(() => limiter.reward(bucket, cost));
      await emitLimitReached(this.#engine, credential, 'READ', LIMIT_TYPE, limit);
      const retryAfter = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
      throw tierLimitError(this.#engine.tiers, { limitType: LIMIT_TYPE, limit, tier, asked: cost, retryAfter });
    }
  }

  /**
   * Charges one read for more of an answer that has begun: it goes on even if nothing is left, and the next one is
   * refused.
   * @throws HoldfastError unauthenticated, unavailable
   */
  async debit(credential: Credential): Promise<void> {
    const limiter = this.#limiters.get(await authenticate(this.#engine, credential));
    if (limiter !== undefined) await send(() => limiter.penalty(bucketOf(credential), 1));
  }
}

/** People who look find out what their keys do, however much that is: sessions have a window of their own. */
const bucketOf = ({ tenant, kind }: Credential): string => `{${tenant}}${kind === 'session' ? ':sessions' : ''}`;
