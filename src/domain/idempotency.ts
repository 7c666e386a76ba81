/**
 * A request that is carried out once, however often it is sent (docs/specification.md#repeating-safely).
 */
export interface Idempotency {
  /** Its Idempotency-Key. */
  readonly key: string;
  /** 64 digits, 0 to 9 and A to F. Another request under the same key has another one. */
  readonly fingerprint: string;
}

/** The longest Idempotency-Key, in characters. */
export const MAX_KEY_LENGTH = 128;
