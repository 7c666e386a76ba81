/**
 * The quota of reads, in windows of a minute that all instances share. A GET or HEAD costs one read, a check one for
 * each item, and a list one for each 1,000 items that it reads (docs/specification.md#what-a-request-costs).
 */
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { tierLimitError } from '../domain/limits.ts';
import { type Quota, WINDOW_S } from '../domain/quota.ts';
import type { Right } from '../domain/rights.ts';
import type { Credential } from '../domain/tenants.ts';
import { TIERS, type Tier } from '../domain/tiers.ts';
import type { Engine } from '../engine/call.ts';
import { emitLimitReached } from '../engine/tenant/emitLimitReached.ts';
import { verifyCredential } from '../engine/tenant/verifyCredential.ts';
import { readsPrefix } from '../redis/keys.ts';
import { send } from '../redis/send.ts';

const LIMIT_TYPE = 'ReadsPerMinute';

export class ReadLimiter {
  readonly #engine: Engine;
  /** A window for each tenant and tier (docs/specification.md#limit-types). */
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
   * Verifies the credential and charges reads to its tenant. Reads that do not fit cost nothing.
   * @param right what the credential must be allowed to do; null: anything
   * @returns the remaining quota
   * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError if fewer reads are left
   */
  async charge(credential: Credential, right: Right | null, cost = 1): Promise<readonly Quota[]> {
    const { tier } = await verifyCredential(this.#engine, credential, right);
    const limiter = this.#limiters.get(tier);
    if (limiter === undefined) return [];
    const limit = limiter.points;
    const bucket = bucketOf(credential);
    try {
      const { remainingPoints, msBeforeNext } = await send(() => limiter.consume(bucket, cost));
      const resetS = Math.ceil(msBeforeNext / 1000);
      return [{ limitType: LIMIT_TYPE, limit, remaining: remainingPoints, resetS }];
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      // The limiter counts reads that it refuses.
      await send(() => limiter.reward(bucket, cost));
      await emitLimitReached(this.#engine, credential, 'READ', LIMIT_TYPE, limit);
      const retryAfter = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
      throw tierLimitError(this.#engine.tiers, { limitType: LIMIT_TYPE, limit, tier, asked: cost, retryAfter });
    }
  }

  /**
   * Charges reads for more of an answer that has begun, or for a wait that goes on. They are charged even if the quota
   * is used up; the next read is refused.
   * @throws HoldfastError unauthenticated, unavailable
   */
  async debit(credential: Credential, cost = 1): Promise<void> {
    const { tier } = await verifyCredential(this.#engine, credential);
    const limiter = this.#limiters.get(tier);
    if (limiter !== undefined) await send(() => limiter.penalty(bucketOf(credential), cost));
  }
}

/** Sessions have a window of their own, so that people can look at their tenant however much its keys read. */
const bucketOf = ({ tenant, kind }: Credential): string => `{${tenant}}${kind === 'session' ? ':sessions' : ''}`;
