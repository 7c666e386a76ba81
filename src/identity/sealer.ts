/**
 * Seals what nobody else may read: API keys, where they are stored, so that whoever may can be shown them again
 * (docs/specification.md#identity); and sign-ins that have begun, while a browser keeps them. A JWE under the
 * configured secret.
 */
import { hash } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';

export class Sealer {
  readonly #secret: Uint8Array;

  /** @param secret any text; what was sealed under another one cannot be opened */
  constructor(secret: string) {
    this.#secret = hash('sha256', secret, 'buffer');
  }

  seal(text: string): Promise<string> {
    return new CompactEncrypt(new TextEncoder().encode(text))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(this.#secret);
  }

  /** @throws JOSEError where it was not sealed, or under another secret */
  async open(sealed: string): Promise<string> {
    const { plaintext } = await compactDecrypt(sealed, this.#secret);
    return new TextDecoder().decode(plaintext);
  }
}
