/**
 * The Host header: a request is refused whose Host is missing, doubled or malformed.
 */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_IN_FLIGHT, start } from '../support/caller.ts';
import type { InstanceProcess } from '../support/process.ts';

let holdfast: InstanceProcess;
beforeAll(async () => {
  holdfast = await start({ MAX_IN_FLIGHT: String(MAX_IN_FLIGHT) });
});
afterAll(() => holdfast.kill('SIGKILL'));

describe('the Host header', () => {
  const ask = async (lines: string, target = 'GET /dashboard') => {
    const socket = connect(Number(new URL(holdfast.url).port), '127.0.0.1').setEncoding('latin1');
    let text = '';
    socket.on('data', (data: string) => {
      text += data;
    });
    socket.write(`${target} HTTP/1.1\r\n${lines}\r\nConnection: close\r\n\r\n`);
    await new Promise((resolve) => socket.once('close', resolve));
    return text;
  };

  test.each(['1.2.3.4.5', 'xn--', 'a b', '[::1', 'a@b', 'a/b', 'a%41', 'evil.com:99999', ''])(
    '%j: 400',
    async (host) => {
      for (const target of ['GET /dashboard', 'POST /dashboard/sign-in', 'GET /api/v1/Resource/tree', 'GET /healthz']) {
        const answer = await ask(`Host: ${host}`, target);
        expect(answer).toMatch(/^HTTP\/1.1 400 /);
        expect(answer).toContain('Holdfast-Error: INVALID_HOST');
      }
      const chunked = await ask(`Host: ${host}\r\nTransfer-Encoding: chunked`, 'POST /api/v1/Reservation/reserve');
      expect(chunked).toMatch(/^HTTP\/1.1 400 /);
    },
  );

  test('twice: 400', async () => {
    expect(await ask('Host: a\r\nhost: a')).toMatch(/^HTTP\/1.1 400 /);
  });

  test.each(['localhost', 'LOCALHOST:80', '127.0.0.1:65535', '[::1]:8080', 'a_b.example.'])(
    '%j is one',
    async (host) => {
      expect(await ask(`Host: ${host}`, 'GET /healthz')).toMatch(/^HTTP\/1.1 200 /);
    },
  );
});
