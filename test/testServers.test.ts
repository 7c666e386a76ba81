/**
 * Tests find other servers where a Docker engine answers but cannot run a container.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-engine-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const NO_REGISTRY = 'Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io: no such host';

/** An engine without images and without a registry. */
async function startEngine() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = `${request.method} ${(request.url ?? '').replace(/^\/v[\d.]+/, '')}`;
    asked.push(path);
    const [status, body] = path.startsWith('GET /info')
      ? [200, { ServerVersion: '20.10.24', OperatingSystem: 'Debian', OSType: 'linux', Architecture: 'x86_64' }]
      : path.startsWith('GET /containers/json')
        ? [200, []]
        : path.startsWith('POST /images/create')
          ? [500, { message: NO_REGISTRY }]
          : [404, { message: 'No such image' }];
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  const socket = join(folder, 'docker.sock');
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return { socket, asked, stop: () => server.close() };
}

test('a process of their own, and a line that says why', async () => {
  const engine = await startEngine();
  const { PATH = '', HOME = '' } = process.env;
  const program = `
    const { provideRedis } = await import('./test/support/redis.ts');
    const { what, stop } = await provideRedis();
    console.log('Tests run on ' + what);
    await stop();
    process.exit();`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
    env: { PATH, HOME, DOCKER_HOST: `unix://${engine.socket}`, TESTCONTAINERS_HOST_OVERRIDE: '127.0.0.1' },
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  engine.stop();
  expect(engine.asked.some((path) => path.startsWith('POST /images/create'))).toBe(true);
  expect([output.trim().split('\n'), errors]).toEqual([
    [
      expect.stringMatching(/^The container engine cannot run Redis \(.*no such host.*\)$/),
      'Tests run on a redis-server process of their own',
    ],
    '',
  ]);
});
