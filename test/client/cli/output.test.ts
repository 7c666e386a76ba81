/** What a server sends, as the command line prints it: nothing in it rules the terminal. */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { holdfast } from '../../support/commandLine.ts';

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
