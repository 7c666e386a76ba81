/** `holdfast run --wait`: waits for its turn, says where it stands, and gives up in an orderly way. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../scripts/freePort.ts';
import { type Options, type Running, start, startHoldfast } from '../../support/commandLine.ts';
import { type Instance, startInstance } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Instance;
let env: Record<string, string>;
beforeAll(async () => {
  service = await startInstance();
  env = { HOLDFAST_URL: service.url, HOLDFAST_KEY: service.key };
});
afterAll(() => service.stop());

/** Somebody else holds it. Returns how to release it. */
async function hold(resource: string): Promise<() => Promise<unknown>> {
  const { body } = await service.reserve({ resource, requester: 'other', ttlSeconds: 60 });
  const releaseToken = body[0]?.releaseToken ?? '';
  return () => service.unreserve({ resource, requester: 'other', releaseToken });
}

const queue = async (resource: string) => (await service.waiting(`?resource=${resource}`)).body;
const queued = (resource: string, count = 1) =>
  until(`${count} to wait for ${resource}`, async () => (await queue(resource)).length === count);

const run = (args: readonly string[], options: Options = {}): Promise<Running> =>
  startHoldfast(['run', ...args], { ...options, env });

describe.concurrent('a run that waits', () => {
  test('begins when it is its turn, and has said where it stood', async () => {
    const release = await hold('a');
    const waits = await run(['--wait', '1m', 'a', '--', 'echo', 'ran']);
    await waits.prints('holdfast: waiting for a: you are next. other has held it for ');
    await release();
    const line =
      /^holdfast: waiting for a: you are next\. other has held it for \d+s; its lease ends in (?:1m|5\ds)\n$/;
    expect(await waits.ended).toEqual({ code: 0, stdout: 'ran\n', stderr: expect.stringMatching(line) });
  });

  test('says nothing with --quiet', async () => {
    const release = await hold('b');
    const waits = await run(['--wait', '1m', '--quiet', 'b', '--', 'true']);
    await queued('b');
    await release();
    expect(await waits.ended).toMatchObject({ code: 0, stderr: '' });
  });

  test('tells a terminal the position in one line that is rewritten, and clears it', async () => {
    const release = await hold('c');
    const command = `holdfast run --wait 1m c -- echo ran`;
    const waits = await start(['script', '-qefc', command, '/dev/null'], {
      env: { ...env, SHELL: '/bin/sh' },
      stdin: null,
    });
    await waits.prints('waiting for c, for 2s: you are next');
    await release();
    const { code, stdout } = await waits.ended;
    expect(code).toBe(0);
    const [nothing, ...lines] = stdout.split('\r\u001b[K');
    expect(nothing).toBe('');
    for (const line of lines.slice(0, -1))
      expect(line).toMatch(/^holdfast: waiting for c, for \d+s: you are next\. other has/);
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.at(-1)).toBe('ran\r\n');
  });

  test('waits for several resources together, and holds none of them meanwhile', async () => {
    const release = await hold('d');
    const waits = await run(['--wait', '1m', 'e', 'd', '--', 'true']);
    await queued('d');
    expect((await service.check({ resource: 'e' })).body).toMatchObject([{ reserved: false }]);
    await release();
    expect(await waits.ended).toMatchObject({ code: 0 });
  });

  test('ends with 75 if its turn does not come in time, and waits no longer', async () => {
    await hold('f');
    const waits = await run(['--wait', '3s', 'f', '--', 'echo', 'ran']);
    const { code, stdout, stderr } = await waits.ended;
    expect({ code, stdout }).toEqual({ code: 75, stdout: '' });
    expect(stderr).toMatch(
      /holdfast: f: the wait of 3s is over; f is not free: other has held it for \d+s; its lease ends in 5\ds\n$/,
    );
    expect(await queue('f')).toEqual([]);
  });

  test('says so if the `run` around it holds the resource', async () => {
    const inner = 'holdfast run --wait 2s j -- true';
    const { code, stderr } = await (await run(['j', '--keep-key', '--', 'sh', '-c', inner])).ended;
    expect(code).toBe(75);
    expect(stderr).toContain('holdfast: j is held by the `holdfast run` around this command: it may wait for itself\n');
    expect(stderr).toMatch(/j is not free: .*; that is the `holdfast run` around this command\n$/);
  });

  test('ends with 69 if the service could not be reached in time', async () => {
    const env = { HOLDFAST_URL: `http://127.0.0.1:${await freePort()}`, HOLDFAST_KEY: service.key };
    const waits = await startHoldfast(['run', '--wait', '500ms', 'g', '--', 'echo', 'ran'], { env });
    const { code, stdout, stderr } = await waits.ended;
    expect({ code, stdout }).toEqual({ code: 69, stdout: '' });
    // On a slow machine it says first that it tries again.
    expect(stderr).toMatch(/^(holdfast: .* trying again .*\n)?holdfast: The service could not be reached.*\n$/);
  });
});

describe.concurrent('a signal while it waits', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s ends the wait with %i, and gives up its place', async (signal, code) => {
    const resource = `h-${signal}`;
    await hold(resource);
    const waits = await run(['--wait', '1m', resource, '--', 'echo', 'ran']);
    await queued(resource);
    waits.kill(signal);
    expect(await waits.ended).toMatchObject({ code, stdout: '' });
    await queued(resource, 0);
  });

  test('ends the wait of `reserve` as well', async () => {
    await hold('i');
    const waits = await startHoldfast(['reserve', '--wait', '1m', 'i'], { env });
    await queued('i');
    waits.kill('SIGINT');
    expect(await waits.ended).toMatchObject({ code: 130, stdout: '' });
    await queued('i', 0);
  });
});
