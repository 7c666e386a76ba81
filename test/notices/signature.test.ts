/**
 * The signature of deliveries, checked by the package of Standard Webhooks for receivers
 * (docs/specification.md#webhooks).
 */
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { signatureHeaders } from '../../src/notices/webhook.ts';

const secret = () => `whsec_${randomBytes(24).toString('base64')}`;
const body = JSON.stringify({ type: 'holdfast.events', note: 'é🎉' });

test('receivers with any of the secrets accept a delivery, others do not', () => {
  const [next, previous, other] = [secret(), secret(), secret()];
  const headers = signatureHeaders('msg_1', body, [next, previous]);
  for (const known of [next, previous]) expect(new Webhook(known).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Webhook(other).verify(body, headers)).toThrow('No matching signature');
});

test('another body, another id and an old time are refused', () => {
  const key = secret();
  const headers = signatureHeaders('msg_1', body, [key]);
  expect(() => new Webhook(key).verify(`${body} `, headers)).toThrow('No matching signature');
  expect(() => new Webhook(key).verify(body, { ...headers, 'webhook-id': 'msg_2' })).toThrow('No matching signature');
  const old = signatureHeaders('msg_1', body, [key], Date.now() - 400_000);
  expect(() => new Webhook(key).verify(body, old)).toThrow('too old');
});
