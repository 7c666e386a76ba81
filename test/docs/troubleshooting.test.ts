/**
 * docs/troubleshooting.md has every code of the service, and the texts that newcomers meet, word for word. Those of
 * items are in docs/specification.md#item-statuses: statuses.test.ts.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAILURE_CODES } from '../../src/domain/errors.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';

const PAGE = ['docs/troubleshooting.md', 'docs/concepts/README.md']
  .map((page) => readFileSync(page, 'utf8'))
  .join('\n');
/** Texts between backticks on the page, as patterns: `…` there stands for anything. */
const texts = [...PAGE.replace(/^```.*?^```/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);
const patterns = texts
  .filter((text) => /[A-Za-z]{2}/.test(text))
  .map((text) => new RegExp(`^${text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*')}$`));
const isExplained = (text: string) => patterns.some((pattern) => pattern.test(text));

const tenant = makeTenant();
const full = makeConfiguredKey(tenant);
const restricted = { ...makeConfiguredKey(tenant, 'reader'), permission: 'read' as const, prefix: '', expiresAt: null };
let holdfast: Instance;
beforeAll(async () => {
  const TIERS = JSON.stringify({ Enterprise: { reservations: 5 } });
  holdfast = await startInstance({ keys: [full, restricted], env: { TIERS } });
});
afterAll(() => holdfast.stop());

test('a text that the page does not have is not explained', () => {
  expect(isExplained('The printer is on fire.')).toBe(false);
});

test.each(FAILURE_CODES)('%s is explained', (code) => {
  expect(texts).toContain(code);
});

const RESERVE = '/api/v1/Reservation/reserve';
const item = (more: object = {}) => [{ resource: 'printer', requester: randomUUID(), ttlSeconds: 60, ...more }];

describe('a refused request is explained', () => {
  test.each<[string, string, string, unknown?, Record<string, string>?]>([
    ['MALFORMED_REQUEST', 'POST', RESERVE, item()[0]],
    ['MALFORMED_REQUEST', 'POST', RESERVE, '[{'],
    ['MALFORMED_REQUEST', 'POST', RESERVE, item({ requester: undefined })],
    ['MALFORMED_REQUEST', 'POST', RESERVE, item({ ttlSeconds: '60' })],
    ['MALFORMED_REQUEST', 'POST', RESERVE, item({ requester: 'system:x' })],
    ['UNKNOWN_FIELD', 'POST', RESERVE, item({ ttl: 5 })],
    ['REFUSED', 'POST', RESERVE, item({ ttlSeconds: undefined, waitSeconds: 5 })],
    ['UNAUTHENTICATED', 'POST', RESERVE, item(), { 'X-Api-Key': '' }],
    ['UNAUTHENTICATED', 'POST', RESERVE, item(), { 'X-Api-Key': 'hf_local_wrong' }],
    ['UNAUTHENTICATED', 'POST', RESERVE, item(), { Authorization: 'Bearer hf_local_other' }],
    ['PATH_NOT_FOUND', 'POST', '/api/v1/reservation/reserve', item()],
    ['NOT_REGISTERED', 'DELETE', '/api/v1/Resource/nothing'],
    ['METHOD_NOT_ALLOWED', 'GET', RESERVE],
    ['BODY_TOO_LARGE', 'POST', RESERVE, ' '.repeat(1_100_000)],
    ['UNSUPPORTED_MEDIA_TYPE', 'POST', RESERVE, item(), { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['LIMIT_REACHED', 'POST', RESERVE, 'abcdef'.split('').map((resource) => item({ resource })[0])],
    ['NOT_CONFIGURED', 'GET', '/api/v1/Tenant/keys'],
    ['NOT_CONFIGURED', 'POST', '/api/v1/auth/token', { jwt: 'x' }],
  ])('%s: %s %s %j', async (code, method, path, body, headers) => {
    const answer = await holdfast.request<string | { error: string; code: string }>(method, path, body, headers);
    const [text, found] =
      typeof answer.body === 'string'
        ? [answer.body, answer.headers.get('Holdfast-Error')]
        : [answer.body.error, answer.body.code];
    expect([found, text, isExplained(text)]).toEqual([code, text, true]);
  });

  test('FORBIDDEN', async () => {
    const headers = { 'X-Api-Key': restricted.key };
    expect(await holdfast.request('POST', RESERVE, item(), headers)).toMatchObject({ body: { code: 'FORBIDDEN' } });
  });

  test('REFUSED: the deletion of what is held', async () => {
    await holdfast.register({ name: 'phones', capacity: 2 });
    const [held] = (await holdfast.request<object[]>('POST', RESERVE, item({ resource: 'phones' }))).body;
    const { body } = await holdfast.request<string>('DELETE', '/api/v1/Resource/phones');
    expect([body, isExplained(body)]).toEqual([body, true]);
    await holdfast.request('POST', '/api/v1/Reservation/unreserve', [held]);
  });

  test('INVALID_RELEASE_TOKEN', async () => {
    const requester = randomUUID();
    const [held] = (await holdfast.reserve({ resource: 'a', requester, ttlSeconds: 60 })).body;
    const wrong = { resource: 'a', requester, releaseToken: randomUUID() };
    expect((await holdfast.unreserve(wrong)).headers.get('Holdfast-Error')).toBe('INVALID_RELEASE_TOKEN');
    await holdfast.unreserve({ resource: 'a', requester, releaseToken: held?.releaseToken ?? '' });
  });

  test('IDEMPOTENCY_MISMATCH', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const path = '/api/v1/Reservation/cancel';
    await holdfast.request('POST', path, [{ resource: 'a', requester: 'x' }], headers);
    const answer = await holdfast.request<{ error: string }>(
      'POST',
      path,
      [{ resource: 'b', requester: 'x' }],
      headers,
    );
    expect(isExplained(answer.body.error)).toBe(true);
  });

  test('INVALID_HOST', async () => {
    const socket = connect(Number(new URL(holdfast.url).port), '127.0.0.1').setEncoding('latin1');
    let answer = '';
    socket.on('data', (data: string) => {
      answer += data;
    });
    socket.write('GET /healthz HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n');
    await new Promise((resolve) => socket.once('close', resolve));
    expect(answer).toContain('Holdfast-Error: INVALID_HOST');
    expect(isExplained(JSON.parse(answer.split('\r\n\r\n')[1] ?? ''))).toBe(true);
  });
});
