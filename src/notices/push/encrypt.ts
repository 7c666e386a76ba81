/**
 * Encrypts a message to a browser (RFC 8291, with the content coding aes128gcm of RFC 8188), so that its push service
 * cannot read it (docs/specification.md#push).
 */
import { createCipheriv, createECDH, ECDH, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';

const CURVE = 'prime256v1';
/** Size of the only record, in bytes: push services take no longer body. */
const RECORD_BYTES = 4096;
const TAG_BYTES = 16;
/** Ends the last record. */
const DELIMITER = Buffer.from([2]);
/** Salt, size of the record, and the sender's key with its length. */
const HEADER_BYTES = 16 + 4 + 1 + 65;

/** Maximum number of bytes of a text. */
export const MAX_TEXT_BYTES = RECORD_BYTES - HEADER_BYTES - DELIMITER.length - TAG_BYTES;

/** The sender's key pair for one message. */
function newSender(): ECDH {
  const sender = createECDH(CURVE);
  sender.generateKeys();
  return sender;
}

/**
 * @param keys those of the browser
 * @param salt 16 bytes, of this message alone
 * @param sender of this message alone
 * @returns the body of the request to the push service
 * @throws RangeError if the text is longer than MAX_TEXT_BYTES; an error of node:crypto if the keys are none
 */
export function encrypt(
  text: string,
  keys: Omit<PushTarget, 'endpoint'>,
  salt = randomBytes(16),
  sender = newSender(),
): Buffer {
  const plain = Buffer.from(text);
  if (plain.length > MAX_TEXT_BYTES) throw new RangeError(`a push has at most ${MAX_TEXT_BYTES} bytes`);
  const receiverKey = Buffer.from(keys.p256dh, 'base64url');
  const senderKey = sender.getPublicKey();
  const shared = sender.computeSecret(receiverKey);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiverKey, senderKey]);
  const secret = derive(shared, Buffer.from(keys.auth, 'base64url'), info, 32);
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const sizes = Buffer.alloc(5);
  sizes.writeUInt32BE(RECORD_BYTES);
  sizes.writeUInt8(senderKey.length, 4);
  const sealed = [cipher.update(plain), cipher.update(DELIMITER), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([salt, sizes, senderKey, ...sealed]);
}

/** HKDF with SHA-256 (RFC 5869). @param bytes length of the result */
const derive = (secret: Uint8Array, salt: Buffer, info: Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));

/** Maximum number of characters of an endpoint: those of push services have some hundred. */
const MAX_ENDPOINT_LENGTH = 2048;
/** Bytes of a point on P-256, and of the secret that a browser shares with senders. */
const [POINT_BYTES, AUTH_BYTES] = [65, 16];

/** The subscription of a browser: where its pushes go, and the keys that they are encrypted with. Kept encrypted. */
export const PushTarget = z.object({
  endpoint: z.string().max(MAX_ENDPOINT_LENGTH),
  /** The browser's point on P-256, in base64url. */
  p256dh: z.base64url().refine(isPoint),
  /** The secret that it shares with senders, in base64url. */
  auth: z.base64url().refine((text) => Buffer.from(text, 'base64url').length === AUTH_BYTES),
});
export type PushTarget = z.infer<typeof PushTarget>;

function isPoint(text: string): boolean {
  const point = Buffer.from(text, 'base64url');
  if (point.length !== POINT_BYTES) return false;
  try {
    ECDH.convertKey(point, 'prime256v1');
    return true;
  } catch {
    return false;
  }
}
