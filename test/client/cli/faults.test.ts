/** Messages of `holdfast` if the service cannot be reached, or something else answers. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exitCodeOf } from '../../../packages/client/src/cli/exitCodes.ts';
import { messageOf } from '../../../packages/client/src/cli/messages.ts';
import { HoldfastError } from '../../../packages/client/src/index.ts';
import { freePort } from '../../../scripts/freePort.ts';
import { type Ended, holdfast, start, startHoldfast } from '../../support/commandLine.ts';
import { type Instance, startInstance } from '../../support/service.ts';

/** Not the service: a web server that answers each path with what its name says. */
const PAGES: Readonly<Record<string, readonly [status: number, body: string]>> = {
  page: [200, '<html>Welcome</html>'],
  object: [200, '{}'],
  text: [200, '"hello"'],
  missing: [404, '<html>Not found</html>'],
};
let other: Server;
let otherUrl: string;
let service: Instance;
beforeAll(async () => {
  service = await startInstance();
  other = createServer(({ url = '' }, response) => {
    const [status, body] = PAGES[url.split('/')[1] ?? ''] ?? [502, 'Bad Gateway'];
    response.writeHead(status, { 'Content-Type': 'text/html' }).end(body);
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
});
afterAll(async () => {
  other.close();
  await service.stop();
});

const at = (url: string, args: readonly string[]): Promise<Ended> =>
  holdfast(args, { env: { HOLDFAST_URL: url, HOLDFAST_KEY: service.key } });

describe.concurrent('an address that is not of Holdfast', () => {
  test.each(
    Object.keys(PAGES).flatMap((page) => [
      [page, 'ls'],
      [page, 'check', 'a'],
      [page, 'reserve', 'a'],
    ]),
  )('%s: %s is a fault in one line', async (page, ...args) => {
    const { code, stdout, stderr } = await at(`${otherUrl}/${page}`, args);
    expect({ code, stdout }).toEqual({ code: 70, stdout: '' });
    expect(stderr).toMatch(/^holdfast: [^\n]*HOLDFAST_URL[^\n]*\n$/);
    expect(stderr).not.toMatch(/undefined|not a function|not iterable|Cannot read/);
  });

  test('with /api/v1 at its end: it says what to leave out', async () => {
    const { code, stderr } = await at(`${service.url}/api/v1`, ['ls']);
    expect({ code, stderr }).toMatchObject({
      code: 64,
      stderr: 'holdfast: url (HOLDFAST_URL) must end before /api/v1: https://holdfast.example.com\n',
    });
  });
});

describe.concurrent('while the service cannot be reached', () => {
  test('by https at a port of http: 69, without the text of OpenSSL', async () => {
    // So long that the first attempt fails in its own time, a third of this, on a slow machine too.
    const args = ['run', '--wait', '6s', 'a', '--', 'true'];
    const { code, stderr } = await at(service.url.replace('http:', 'https:'), args);
    expect(code).toBe(69);
    expect(stderr).toMatch(
      /^holdfast: \S+ cannot be reached: trying again .*\nholdfast: The service could not be reached by TLS \(\w+\): should HOLDFAST_URL begin .*\n$/,
    );
  });

  test.each([['run', '--wait', '1m', 'a', '--', 'true'], ['ls']])('%s says so once', async (...args) => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const running = await startHoldfast(args, { env: { HOLDFAST_URL: url, HOLDFAST_KEY: service.key } });
    const line = `holdfast: ${url} cannot be reached: trying again for up to ${args.includes('--wait') ? '1m' : '30s'}\n`;
    await running.prints(line);
    running.kill('SIGINT');
    expect(await running.ended).toEqual({ code: 130, stdout: '', stderr: line });
  });

  test('a line of its own says so, also while a terminal shows the position', async () => {
    const lost = await startInstance();
    await lost.reserve({ resource: 'a', requester: 'ann', ttlSeconds: 60 });
    const env = { HOLDFAST_URL: lost.url, HOLDFAST_KEY: lost.key, SHELL: '/bin/sh' };
    const terminal = ['script', '-qefc', 'holdfast run --wait 1m a -- true', '/dev/null'];
    const waits = await start(terminal, { env, stdin: null });
    await waits.prints('waiting for a, for ');
    await lost.stop();
    await waits.prints(`\r\u001b[Kholdfast: ${lost.url} cannot be reached: trying again for up to 1m\r\n`);
    waits.write('\u0003');
    expect(await waits.ended).toMatchObject({ code: 130 });
  });
});

describe('errors', () => {
  test.each([502, 503, 504])('%i ends with 69', (status) => {
    expect(exitCodeOf(new HoldfastError('UNEXPECTED_RESPONSE', 'a page', { status }))).toBe(69);
  });

  test('of the client ask the same question once', () => {
    const error = new HoldfastError('UNEXPECTED_RESPONSE', 'Unexpected response: is this Holdfast?', { status: 200 });
    expect(messageOf(error)).toBe('Unexpected response; is HOLDFAST_URL the address of Holdfast?');
  });

  test('of JavaScript are not shown, and end with 70', () => {
    const error = new TypeError("Cannot read properties of undefined (reading 'map')");
    expect(messageOf(error)).toMatch(/TypeError.*HOLDFAST_URL/);
    expect(messageOf(error)).not.toContain('Cannot read');
    expect(exitCodeOf(error)).toBe(70);
  });
});
