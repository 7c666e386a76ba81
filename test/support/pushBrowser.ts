/**
 * A browser that pushes go to: its keys, and how it decrypts (RFC 8291 from the side of the receiver).
 */
import { createDecipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto';
import type { PushTarget } from '../../src/notices/push/encrypt.ts';

export interface PushBrowser {
  readonly target: PushTarget;
  readonly pair: ECDH;
}

export function makeBrowser(endpoint: string): PushBrowser {
  const pair = createECDH('prime256v1');
  const p256dh = pair.generateKeys('base64url');
  return { target: { endpoint, p256dh, auth: randomBytes(16).toString('base64url') }, pair };
}

/** Reads a push. @throws an error of node:crypto if it is not for this browser */
export function decrypt({ target, pair }: PushBrowser, body: Buffer): string {
  const [salt, senderKey, sealed] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)];
  const derive = (secret: Uint8Array, by: Uint8Array, info: Buffer, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, by, info, bytes));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), senderKey]);
  const secret = derive(pair.computeSecret(senderKey), Buffer.from(target.auth, 'base64url'), info, 32);
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  return plain.subarray(0, plain.lastIndexOf(2)).toString();
}
