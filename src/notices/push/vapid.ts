/**
 * Tells push services who sends, by the key pair of this service (VAPID, RFC 8292): a browser takes pushes only of the
 * service that it was subscribed with.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';

/** Push services take no token that lasts longer than 24 h. */
const LASTS = '12h';

export interface Vapid {
  /** Returns the header Authorization of a request. @param endpoint where it goes */
  authorization(endpoint: string): Promise<string>;
}

export interface KeyPair {
  /** 32 bytes in base64. */
  readonly privateKey: string;
  /** The point, in base64url. */
  readonly publicKey: string;
}

/** @param subject whom a push service can turn to: the public URL of this service */
export function makeVapid(pair: KeyPair, subject: string): Vapid {
  const key = keyObject(pair);
  return {
    authorization: async (endpoint) => {
      const token = new SignJWT()
        .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
        .setAudience(new URL(endpoint).origin)
        .setSubject(subject)
        .setExpirationTime(LASTS);
      return `vapid t=${await token.sign(key)}, k=${pair.publicKey}`;
    },
  };
}

/** Makes a key of the private scalar, and the two coordinates of the point: 65 bytes, of which the first is 4. */
function keyObject({ privateKey, publicKey }: KeyPair): KeyObject {
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
  const d = Buffer.from(privateKey, 'base64').toString('base64url');
  return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', d, ...(x && { x }), ...(y && { y }) }, format: 'jwk' });
}
