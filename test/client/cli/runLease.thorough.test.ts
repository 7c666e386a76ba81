/** `holdfast run` and its lease: the command never outlives it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../scripts/freePort.ts';
import { startRedisNode } from '../../../scripts/redisServer.ts';
import { type Running, startHoldfast } from '../../support/commandLine.ts';
import { startFaultyProxy } from '../../support/faultyProxy.ts';
import { type Instance, startInstance } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-lease-'));
let service: Instance;
beforeAll(async () => {
  service = await startInstance();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await service.stop();
});

/** Another instance for the same tenant, to be lost. */
const startOther = (port = 0) =>
  startInstance({ port, keys: [{ key: service.key, tenant: service.tenant, tier: 'Enterprise', label: undefined }] });

const run = (at: { url: string; key: string }, args: readonly string[]): Promise<Running> =>
  startHoldfast(['run', ...args], { stdin: null, env: { HOLDFAST_URL: at.url, HOLDFAST_KEY: at.key } });

/** Work in a shell: a line with the time every 20 ms, by a child of the command, until it is killed. */
const ticking = (file: string) => `while :; do date +%s%3N >> '${file}'; sleep 0.02; done`;
const ticks = (file: string) => readFileSync(file, 'utf8').trim().split('\n').map(Number);

/** When the lease ends, in ms since 1970. */
async function endOf(resource: string): Promise<number> {
  const { body } = await service.active(`?resource=${resource}`);
  return Date.parse(body[0]?.expiresAt ?? '');
}

/** Follows a lease until it has ended. Returns the end that it had last. */
async function followed(resource: string): Promise<number> {
  let last = Number.NaN;
  await until('the lease to end', async () => {
    const end = await endOf(resource);
    if (Number.isNaN(end)) return true;
    last = end;
    return false;
  });
  return last;
}

/** Waits until the lease ends later than now. */
async function renewed(running: Running, resource: string): Promise<void> {
  const before = await endOf(resource);
  await until('a renewal, or the end', async () => !Object.is(await endOf(resource), before));
  if (Number.isNaN(await endOf(resource))) throw new Error(`it has ended: ${JSON.stringify(await running.ended)}`);
}

/** Runs until it gets a line. */
const UNTIL_TOLD = 'echo ready; read line; echo "$line"';

describe.concurrent('a lease', () => {
  test('is renewed while the command runs', async () => {
    const running = await run(service, ['--ttl', '9s', 'a', '--', 'sh', '-c', UNTIL_TOLD]);
    await running.prints('ready');
    await renewed(running, 'a');
    running.write('end\n');
    expect(await running.ended).toMatchObject({ code: 0, stdout: 'ready\nend\n', stderr: '' });
  });

  test('survives a key file that is blank for a moment, while the key is replaced', async () => {
    const file = join(folder, 'key');
    writeFileSync(file, service.key);
    const env = { HOLDFAST_URL: service.url, HOLDFAST_KEY_FILE: file };
    const args = ['run', '--ttl', '9s', 'k', '--', 'sh', '-c', UNTIL_TOLD];
    const running = await startHoldfast(args, { stdin: null, env });
    await running.prints('ready');
    writeFileSync(file, '');
    await renewed(running, 'k');
    running.write('end\n');
    expect(await running.ended).toMatchObject({ code: 0, stdout: 'ready\nend\n', stderr: '' });
  });

  test('survives an instance that restarts', async () => {
    const other = await startOther(await freePort());
    const running = await run(other, ['--ttl', '12s', 'b', '--', 'sh', '-c', UNTIL_TOLD]);
    await running.prints('ready');
    await other.stop();
    const next = await startOther(Number(new URL(other.url).port));
    await renewed(running, 'b');
    running.write('end\n');
    expect(await running.ended).toMatchObject({ code: 0, stdout: 'ready\nend\n', stderr: '' });
    await next.stop();
  });
});

describe.concurrent('if the service is lost', () => {
  test('the command gets SIGTERM in time, and the exit code is 76', async () => {
    const other = await startOther();
    const command = 'trap "date +%s%3N; exit 0" TERM; echo ready; while :; do sleep 0.02; done';
    const running = await run(other, ['--ttl', '3s', 'c', '--', 'sh', '-c', command]);
    await running.prints('ready');
    const end = followed('c');
    await other.stop();
    const { code, stdout, stderr } = await running.ended;
    expect({ code, stdout }).toEqual({ code: 76, stdout: expect.stringMatching(/^ready\n\d+\n$/) });
    expect(stderr).toMatch(/^holdfast: the lease cannot be renewed: sending SIGTERM to the command\n/);
    expect(Number(stdout.split('\n')[1])).toBeLessThan(await end);
  });

  test('a command and its children that ignore SIGTERM get SIGKILL before the lease ends', async () => {
    const other = await startOther();
    const file = join(folder, 'ignoring');
    const command = `trap "" TERM; echo ready; sh -c "${ticking(file)}" & wait; wait`;
    const running = await run(other, ['--ttl', '4s', 'd', '--', 'sh', '-c', command]);
    await running.prints('ready');
    const end = followed('d');
    await other.stop();
    const { code, stderr } = await running.ended;
    expect(code).toBe(76);
    expect(stderr).toMatch(
      /sending SIGTERM to the command\n(.*\n)?.* not renewed in time: sending SIGKILL to the command\n/,
    );
    expect(ticks(file).at(-1)).toBeLessThan(await end);
  });

  test('the same if the first response was lost, long before the repeat', async () => {
    const proxy = await startFaultyProxy(service.url);
    const body = { error: 'as a test wants it', code: 'LIMIT_REACHED', limitType: 'WritesPerMinute' };
    proxy.next('lose', { status: 429, headers: { 'Retry-After': '2' }, body });
    const file = join(folder, 'lost');
    const args = ['--ttl', '4s', 'z', '--', 'sh', '-c', `trap "" TERM; echo ready; ${ticking(file)}`];
    const running = await run({ url: proxy.url, key: service.key }, args);
    await running.prints('ready');
    const end = followed('z');
    proxy.target = 'http://127.0.0.1:9';
    expect(await running.ended).toMatchObject({ code: 76 });
    expect(ticks(file).at(-1)).toBeLessThan(await end);
    await proxy.stop();
  });

  test('the same if its Redis is lost', async () => {
    const redis = await startRedisNode(() => {}, await freePort());
    const alone = await startInstance({ redisUrl: `redis://127.0.0.1:${redis.port}` });
    const running = await run(alone, ['--ttl', '3s', 'e', '--', 'sh', '-c', 'echo ready; exec sleep 30']);
    await running.prints('ready');
    await redis.stop();
    expect(await running.ended).toMatchObject({ code: 76, stdout: 'ready\n' });
    await alone.stop();
  });

  test('a command that ends just then has its own exit code, and the lease ends by itself', async () => {
    const other = await startOther();
    const running = await run(other, ['--ttl', '3s', 'f', '--', 'sh', '-c', 'echo ready; sleep 0.5; exit 3']);
    await running.prints('ready');
    await other.stop();
    expect(await running.ended).toMatchObject({ code: 3 });
  });
});

describe.concurrent('if the lease is lost', () => {
  test('the command gets SIGKILL at once', async () => {
    const command = 'trap "echo term" TERM; echo ready; while :; do sleep 0.02; done';
    const tenant = await startInstance();
    const running = await run(tenant, ['--ttl', '6s', 'g', '--', 'sh', '-c', command]);
    await running.prints('ready');
    await tenant.reset();
    const { code, stdout, stderr } = await running.ended;
    expect({ code, stdout }).toEqual({ code: 76, stdout: 'ready\n' });
    expect(stderr).toMatch(
      /^holdfast: g is not held any more: NOT_RESERVED: everything was released by key at \S+Z: sending SIGKILL to the command\n$/,
    );
    await tenant.stop();
  });

  test('while holdfast was stopped, the command is killed when it goes on', async () => {
    const running = await run(service, ['--ttl', '2s', 'h', '--', 'sh', '-c', 'echo ready; sleep 300; true']);
    await running.prints('ready');
    running.kill('SIGSTOP');
    await until('the lease to end', async () => (await service.active('?resource=h')).body.length === 0);
    running.kill('SIGCONT');
    // Its output ends when all processes have ended that share it.
    expect(await running.ended).toMatchObject({ code: 76 });
  });
});
