/**
 * `holdfast reserve`, `release` and `renew`: the lease that a renewal makes, and what they refuse without showing it.
 */

import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ended, holdfast, type Options } from '../../support/commandLine.ts';
import { setTerms } from '../../support/hotRecord.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../../support/service.ts';

let service: Instance;
/** The key of a tenant that has settings. */
const limited = makeConfiguredKey(makeTenant());
beforeAll(async () => {
  service = await startInstance({ keys: [makeConfiguredKey(makeTenant()), limited] });
});
afterAll(() => service.stop());

const run = (args: readonly string[], options: Options = {}): Promise<Ended> =>
  holdfast(args, { env: { HOLDFAST_URL: service.url, HOLDFAST_KEY: service.key }, ...options });

/** The output of `reserve --json`. */
const reserved = async (...args: readonly string[]): Promise<string> =>
  (await run(['reserve', ...args, '--json'])).stdout;

/** The rest of a lease, in s. */
async function leftOf(resource: string): Promise<number> {
  const { body } = await service.active(`?resource=${resource}`);
  return (Date.parse(body[0]?.expiresAt ?? '') - Date.now()) / 1000;
}

describe.concurrent('renew', () => {
  test('without --ttl keeps the lease that reserve made', async () => {
    const hold = await reserved('a', '--ttl', '10m');
    expect(JSON.parse(hold)).toMatchObject({ ttlSeconds: 600 });
    expect(await run(['renew', '-'], { stdin: hold })).toMatchObject({ code: 0, stderr: '' });
    expect(await leftOf('a')).toBeGreaterThan(500);
  });

  test('without --ttl leaves a lease that never ends as it is, and says when it was released', async () => {
    const hold = await reserved('b', '--ttl', 'never');
    const { code, stdout } = await run(['renew', '-', '--json'], { stdin: hold });
    expect({ code, rows: JSON.parse(stdout) }).toMatchObject({ code: 0, rows: [{ resource: 'b', expiresAt: null }] });
    await run(['release', '-'], { stdin: hold });
    expect(await run(['renew', '-'], { stdin: hold })).toMatchObject({
      code: 76,
      stderr: 'holdfast: b: NOT_RESERVED\n',
    });
  });

  test('of a name needs --ttl: 64', async () => {
    const stderr = 'holdfast: how long? Only what `reserve --json` printed can be renewed without --ttl\n';
    const args = ['renew', 'c', '--requester', 'ann', '--token', '05b2bb2c-34c7-4729-9651-f53e4666132e'];
    expect(await run(args)).toEqual({ code: 64, stdout: '', stderr });
  });
});

test.concurrent('reserve with a lease that the tenant does not allow says why, in one line: 65', async () => {
  const env = { HOLDFAST_URL: service.url, HOLDFAST_KEY: limited.key };
  expect((await run(['ls'], { env })).code).toBe(0);
  await setTerms(service.redis, limited.tenant, ' 3600000 0 1 86400 100');
  const stderr = "holdfast: e: NOT_VALID: this tenant's reservations need a lease of at most 3600 s\n";
  expect(await run(['reserve', 'e', '--ttl', '2h'], { env })).toEqual({ code: 65, stdout: '', stderr });
});

describe.concurrent('what is no reservation is refused, and never shown', () => {
  const TOKEN = '05b2bb2c-34c7-4729-9651-f53e4666132e';
  test.each([
    ['renew', `{"resource": "d", "releaseToken": "${TOKEN}"`],
    ['release', `{"resource": "d", "releaseToken": "${TOKEN}"`],
    ['release', TOKEN],
    ['renew', `{"resource": "d", "releaseToken": "${TOKEN}"}`],
    ['ls', `{"resource": "d", "releaseToken": "${TOKEN}"}`],
    [TOKEN, ''],
    ['renew', '[]'],
    ['release', '[]'],
  ])('%s %s', async (command, argument) => {
    const { code, stdout, stderr } = await run([command, argument]);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toMatch(/^holdfast: [^\n]+\n$/);
    expect(stderr).not.toContain(TOKEN);
  });
});

/** The command line prints texts of a server so that nothing in them controls the terminal. */
describe('the output of commands', () => {
  /** ESC, CSI of C1, DEL, an override and an isolate of the direction. */
  const HOSTILE = 'a\u001b[1mb\u009b2mc\u007fd\u202ee\u2066f';
  const PLAIN = 'a [1mb 2mc d e f';

  let server: Server;
  let env: Record<string, string>;
  beforeAll(async () => {
    const node = {
      capacity: 1,
      available: 1,
      waiting: 0,
      labels: { os: HOSTILE },
      treePath: null,
      blocks: [],
      children: [],
    };
    const resources = [{ ...node, name: HOSTILE, children: [{ ...node, name: HOSTILE }] }];
    server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(resources));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    env = { HOLDFAST_URL: `http://127.0.0.1:${port}`, HOLDFAST_KEY: 'key' };
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  describe('names and labels of a server cannot rule the terminal', () => {
    test('the tree has a space for each control character', async () => {
      const { code, stdout } = await holdfast(['tree'], { env });
      expect({ code, lines: stdout.split('\n') }).toEqual({
        code: 0,
        lines: [`${PLAIN}  1 of 1 free  os=${PLAIN}`, `└── ${PLAIN}  1 of 1 free  os=${PLAIN}`, ''],
      });
    });

    test('a table has one, too', async () => {
      const { code, stdout } = await holdfast(['definitions'], { env });
      expect(code).toBe(0);
      expect(stdout).toContain(`os=${PLAIN}`);
      expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
    });

    test('JSON escapes them, and its values stay the same', async () => {
      const { code, stdout } = await holdfast(['tree', '--json'], { env });
      expect(code).toBe(0);
      expect(stdout).not.toMatch(/(?!\n)\p{Cc}/u);
      expect(JSON.parse(stdout)).toMatchObject([{ name: HOSTILE, labels: { os: HOSTILE } }]);
    });
  });
});
