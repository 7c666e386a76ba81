/**
 * Seals API keys for storage, so that whoever may can be shown them again: a JWE under the configured secret (decisions, section 9).
 */
import { hash } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';

export class KeySealer {
  readonly #secret: Uint8Array;

  /** @param secret any text; what was sealed under another one cannot be opened */
  constructor(secret: string) {
    this.#secret = hash('sha256', secret, 'buffer');
  }

  seal(key: string): Promise<string> {
    return new CompactEncrypt(new TextEncoder().encode(key))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(this.#secret);
  }

  /** @throws JOSEError where it was sealed under another secret */
  async open(sealed: string): Promise<string> {
    const { plaintext } = await compactDecrypt(sealed, this.#secret);
    return new TextDecoder().decode(plaintext);
  }
}
