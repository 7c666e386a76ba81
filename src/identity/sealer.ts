/**
 * Encrypts stored API keys, which the dashboard can show again (docs/specification.md#dashboard-and-sign-in), and the
 * sign-ins in progress that browsers keep: as JWEs with the configured secret.
 */
import { hash } from 'node:crypto';
import { HoldfastError } from '../domain/errors.ts';

/** For people and programs that want to see a key. */
const UNREADABLE =
  'The value of this key cannot be shown: KEY_SECRET was another one when it was made. The key still works. Rotate it to get a new value.';

export class Sealer {
  readonly #secret: Uint8Array;

  /** @param secret any text. Values that were encrypted with another secret cannot be opened */
  constructor(secret: string) {
    this.#secret = hash('sha256', secret, 'buffer');
  }

  async seal(text: string): Promise<string> {
    const { CompactEncrypt } = await import('jose');
    return new CompactEncrypt(new TextEncoder().encode(text))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(this.#secret);
  }

  /** @throws HoldfastError refused if the text is not encrypted, or with another secret */
  async open(sealed: string): Promise<string> {
    const { compactDecrypt } = await import('jose');
    try {
      const { plaintext } = await compactDecrypt(sealed, this.#secret);
      return new TextDecoder().decode(plaintext);
    } catch (cause) {
      throw new HoldfastError('refused', UNREADABLE, { cause });
    }
  }
}
