/**
 * The key pair by which push services know this service (docs/specification.md#push).
 */
import { createECDH } from 'node:crypto';

/**
 * Returns the public key, in base64url, which browsers subscribe with.
 * @param privateKey 32 bytes in base64 or base64url
 * @throws an error of node:crypto if it is no private key of P-256
 */
export function publicKeyOf(privateKey: string): string {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(Buffer.from(privateKey, 'base64'));
  return pair.getPublicKey('base64url');
}

/** Returns true if a text is 32 bytes in base64 or base64url that are a private key of P-256. */
export function isVapidKey(text: string): boolean {
  if (!/^[\w+/-]{43}=?$/.test(text)) return false;
  try {
    publicKeyOf(text);
    return true;
  } catch {
    return false;
  }
}
