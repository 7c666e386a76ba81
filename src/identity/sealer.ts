/**
 * Encrypts stored API keys, which the dashboard can show again (docs/specification.md#dashboard-and-sign-in), and the
 * sign-ins in progress that browsers keep: as JWEs with the configured secret.
 */
import { hash } from 'node:crypto';

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

  /** @throws JOSEError if the text is not encrypted, or with another secret */
  async open(sealed: string): Promise<string> {
    const { compactDecrypt } = await import('jose');
    const { plaintext } = await compactDecrypt(sealed, this.#secret);
    return new TextDecoder().decode(plaintext);
  }
}
