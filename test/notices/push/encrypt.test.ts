/**
 * The encryption of pushes, and the sender's token (docs/specification.md#push).
 */
import { createECDH } from 'node:crypto';
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { publicKeyOf } from '../../../src/identity/vapidKey.ts';
import { encrypt, MAX_TEXT_BYTES, PushTarget } from '../../../src/notices/push/encrypt.ts';
import { makeVapid } from '../../../src/notices/push/vapid.ts';
import { decrypt, makeBrowser } from '../../support/pushBrowser.ts';

describe('a push', () => {
  test('is encrypted as in the example of RFC 8291, section 5', () => {
    const sender = createECDH('prime256v1');
    sender.setPrivateKey(Buffer.from('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url'));
    const keys = {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    };
    const salt = Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url');
    const text = 'When I grow up, I want to be a watermelon';
    expect(encrypt(text, keys, salt, sender).toString('base64url')).toBe(
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
    );
  });

  test('has keys and a salt of its own, and can be read only with the keys of the browser', () => {
    const [browser, other] = [makeBrowser('https://push.example/1'), makeBrowser('https://push.example/2')];
    const [one, two] = [encrypt('ä', browser.target), encrypt('ä', browser.target)];
    expect(one.subarray(0, 16)).not.toEqual(two.subarray(0, 16));
    expect(one.subarray(21, 86)).not.toEqual(two.subarray(21, 86));
    expect([decrypt(browser, one), decrypt(browser, two)]).toEqual(['ä', 'ä']);
    expect(() => decrypt(other, one)).toThrow();
  });

  test('has at most 4096 bytes', () => {
    const { target } = makeBrowser('https://push.example/1');
    expect(encrypt('x'.repeat(MAX_TEXT_BYTES), target)).toHaveLength(4096);
    expect(() => encrypt('x'.repeat(MAX_TEXT_BYTES + 1), target)).toThrow(RangeError);
  });
});

test('a device whose keys are none is refused', () => {
  const { target } = makeBrowser('https://push.example/1');
  expect(PushTarget.safeParse(target).success).toBe(true);
  const offCurve = Buffer.alloc(65, 7).fill(4, 0, 1).toString('base64url');
  for (const wrong of [{ p256dh: offCurve }, { p256dh: target.auth }, { p256dh: '' }, { auth: 'AAAA' }, { auth: '+/' }])
    expect(PushTarget.safeParse({ ...target, ...wrong }).success).toBe(false);
});

test("the sender's token is signed with its key, for the push service, and lasts less than 24 h", async () => {
  const privateKey = Buffer.alloc(32, 7).toString('base64');
  const header = await makeVapid(
    { privateKey, publicKey: publicKeyOf(privateKey) },
    'https://holdfast.example',
  ).authorization('https://push.example:8443/x?y');
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]{87})$/.exec(header) ?? [];
  expect(key).toBe(publicKeyOf(privateKey));
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const verified = await jwtVerify(token, await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256'), {
    audience: 'https://push.example:8443',
    subject: 'https://holdfast.example',
  });
  expect(decodeProtectedHeader(token)).toEqual({ typ: 'JWT', alg: 'ES256' });
  const lasts = (verified.payload.exp ?? 0) - Date.now() / 1000;
  expect(lasts).toBeGreaterThan(3600);
  expect(lasts).toBeLessThan(24 * 3600);
});
