/** The commands but `run`: tables for people, JSON for programs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bash, env, folder, json, run, service, start, startHoldfast, useService } from '../../support/commandLine.ts';
import { until } from '../../support/until.ts';

useService();

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const isReserved = async (resource: string) => (await service.check({ resource })).body[0]?.reserved;

describe('reserve, renew and release', () => {
  test('a script keeps the reservation in a variable', async () => {
    const { code, stdout } = await bash(`
      hold=$(holdfast reserve 'a printer' --ttl 5m --json)
      printf %s "$hold" | holdfast renew - --ttl 10m
      printf %s "$hold" | holdfast release -
      holdfast release "$hold"`);
    expect(code).toBe(0);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(lines.map(([first, , last]) => [first, last])).toEqual([
      ['RESOURCE', 'ENDS IN'],
      ['a printer', expect.stringMatching(/^(10m|9m5\ds)$/)],
      ['RESOURCE', 'STATUS'],
      ['a printer', 'released'],
      ['RESOURCE', 'STATUS'],
      ['a printer', 'was not held'],
    ]);
  });

  test('a script keeps only the token, and names the rest', async () => {
    const { code } = await bash(`
      export HOLDFAST_REQUESTER=build-7
      token=$(holdfast reserve b --ttl 5m --quiet)
      holdfast renew b --token "$token" --ttl 5m
      holdfast release b --requester build-7 --token "$token"`);
    expect(code).toBe(0);
    expect(await isReserved('b')).toBe(false);
  });

  test('several are taken together, and released from a file', async () => {
    const { code, stdout } = await bash(
      'holdfast reserve c1 c2 --json > hold.json; holdfast release - --json < hold.json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      { resource: 'c1', released: true },
      { resource: 'c2', released: true },
    ]);
  });

  test('reserve shows people how to release it', async () => {
    const { stdout, stderr } = await run(['reserve', 'd', '--requester', 'ann', '--ttl', 'never']);
    const [head = '', row = ''] = stdout.split('\n');
    expect(head.split(/ {2,}/)).toEqual([
      'RESOURCE',
      'SLOTS',
      'REQUESTER',
      'ENDS IN',
      'FENCING TOKEN',
      'RELEASE TOKEN',
    ]);
    expect(row.split(/ {2,}/).slice(0, 4)).toEqual(['d', 'd', 'ann', 'never']);
    const [, hint = ''] = /^holdfast: release it: (.*)\n$/.exec(stderr) ?? [];
    expect(await bash(hint)).toMatchObject({ code: 0 });
    expect(await isReserved('d')).toBe(false);
  });

  test('what is not held any more cannot be renewed: 76', async () => {
    const hold = JSON.stringify({
      resource: 'e',
      requester: 'x',
      releaseToken: '05b2bb2c-34c7-4729-9651-f53e4666132e',
    });
    const { code, stderr } = await run(['renew', hold, '--ttl', '30s']);
    expect({ code, stderr }).toEqual({ code: 76, stderr: 'holdfast: e: NOT_RESERVED\n' });
  });

  test('a wrong token releases nothing: 76', async () => {
    await service.reserve({ resource: 'f', requester: 'ann', ttlSeconds: 60 });
    const token = '05b2bb2c-34c7-4729-9651-f53e4666132e';
    expect(await run(['release', 'f', '--requester', 'ann', '--token', token])).toMatchObject({ code: 76 });
    expect(await isReserved('f')).toBe(true);
  });
});

describe('lists', () => {
  test('check says who holds what, and ends with 1 if one of them cannot be reserved', async () => {
    await service.reserve({ resource: 'g', requester: 'ann', note: 'nightly' });
    const { code, stdout } = await run(['check', 'g', 'free one']);
    expect(code).toBe(1);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['RESOURCE', 'STATE', 'HELD BY', 'ENDS IN', 'WAITING', 'NOTE'],
      ['g', 'held', 'ann', 'never', '0', 'nightly'],
      ['free one', 'free', '0'],
      [''],
    ]);
    expect(await run(['check', 'free one'])).toMatchObject({ code: 0 });
    expect(await json('check', 'g')).toMatchObject([{ resource: 'g', requester: 'ann', reservable: false }]);
  });

  test('check knows no end of what another resource takes along', async () => {
    await service.register({ name: 'rig', blocks: ['arm'] });
    const { body } = await service.reserve({ resource: 'rig', requester: 'ann', ttlSeconds: 300 });
    const { stdout } = await run(['check', 'arm', 'rig']);
    expect(stdout).toMatch(/^arm +held /m);
    expect(stdout).toMatch(/^rig +held +ann +(5m|4m\d+s) /m);
    expect(stdout).not.toContain('never');
    await service.unreserve(...body);
  });

  test('ls shows what is held', async () => {
    await service.reserve({ resource: 'h', requester: 'ann', ttlSeconds: 3600, note: 'nightly', mode: 'SHARED' });
    const { stdout } = await run(['ls', '--resource', 'h']);
    const [head = '', row = ''] = stdout.split('\n');
    expect(head.split(/ {2,}/)).toEqual(['RESOURCE', 'SLOTS', 'HELD BY', 'MODE', 'FOR', 'ENDS IN', 'NOTE']);
    expect(row).toMatch(/^h {2,}ann {2,}shared {2,}\ds {2,}(1h|59m\d+s) {2,}nightly$/);
    expect(await json('ls', '--requester', 'ann', '--resource', 'h')).toMatchObject([{ resource: 'h' }]);
    expect(await run(['ls', '--resource', 'nothing'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'holdfast: nothing is held\n',
    });
    expect(await json('ls', '--resource', 'nothing')).toEqual([]);
  });

  test('waiting shows the queue, and cancel ends a wait', async () => {
    await service.reserve({ resource: 'i', requester: 'ann', ttlSeconds: 60 });
    const args = ['run', '--wait', '10m', '--requester', 'bob', '--priority', '3', 'i', '--', 'true'];
    const waits = await startHoldfast(args, { env });
    await until('bob to wait', async () => (await service.waiting('?resource=i')).body.length === 1);
    const { stdout } = await run(['waiting']);
    const [head = '', row = ''] = stdout.split('\n');
    expect(head).toMatch(/^RESOURCES {2,}REQUESTER {2,}WAITS FOR {2,}PRIORITY {2,}FOR {2,}GIVES UP IN {2,}NOTE$/);
    expect(row).toMatch(/^i {2,}bob {2,}i {2,}3 {2,}\ds {2,}(10m|9m\d+s)$/);
    expect(await json('waiting', '--requester', 'bob')).toMatchObject([{ requester: 'bob', resources: ['i'] }]);
    expect(await json('cancel', 'i', '--requester', 'bob')).toEqual([
      { resource: 'i', requester: 'bob', cancelled: true },
    ]);
    // A cancellation between two calls of a caller ends a ticket that its next call issues again.
    await until('the end of the wait', async () => {
      await service.cancel({ resource: 'i', requester: 'bob' });
      return !isRunning(waits.pid);
    });
    expect(await waits.ended).toMatchObject({ code: 75 });
    expect((await run(['cancel', 'i', '--requester', 'bob'])).stdout).toMatch(/^i {2,}bob {2,}did not wait$/m);
  });

  test('waiting says who waits to clean', async () => {
    await service.register({ name: 'soiled' });
    const item = { resource: 'soiled', requester: 'cleaner', ttlSeconds: 60, waitSeconds: 60, condition: 'dirty' };
    await service.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [item]);
    expect((await run(['waiting', '--requester', 'cleaner'])).stdout).toMatch(/^soiled \(dirty\) {2,}cleaner/m);
  });
});

describe('keys', () => {
  test('a refused key: 77', async () => {
    const { code, stderr } = await run(['ls'], { env: { HOLDFAST_KEY: 'hf_t_00000000000000000000000000000000' } });
    expect(code).toBe(77);
    expect(stderr).toMatch(/^holdfast: .*\n$/);
    expect(stderr).not.toContain('hf_t');
  });

  test('a key in a file', async () => {
    const file = join(folder, 'key');
    writeFileSync(file, `${service.key}\n`);
    expect(await run(['ls'], { env: { HOLDFAST_KEY: '', HOLDFAST_KEY_FILE: file } })).toMatchObject({ code: 0 });
  });
});

describe('watch', () => {
  test('prints changes as they happen, as lines or JSON', async () => {
    const [people, program] = await Promise.all([
      startHoldfast(['watch', '--resource', 'w'], { env }),
      startHoldfast(['watch', '--json', '--type', 'RESERVED'], { env }),
    ]);
    await Promise.all([people, program].map((watch) => watch.prints('holdfast: connected')));
    await service.reserve({ resource: 'other', requester: 'ann', ttlSeconds: 60 });
    await service.reserve({ resource: 'w', requester: 'ann', ttlSeconds: 60, note: 'nightly' });
    await service.reserve({ resource: 'w', requester: 'bob' });
    await people.prints('RESERVE_FAILED');
    await program.prints('"resource":"w"');
    people.kill('SIGINT');
    program.kill('SIGTERM');
    const { code, stdout } = await people.ended;
    const line =
      / {2,}RESERVED {2,}w {2,}ann {2,}\(ACQUIRED\) {2,}nightly\n.*Z {2}RESERVE_FAILED {2,}w {2,}bob {2,}\(ALREADY_HELD\)\n$/;
    expect(code).toBe(130);
    expect(stdout).toMatch(line);
    const printed = await program.ended;
    const events = printed.stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(printed.code).toBe(143);
    expect(events).toMatchObject([
      { type: 'RESERVED', resource: 'other' },
      { type: 'RESERVED', resource: 'w' },
    ]);
  });

  test('refuses a type that does not exist', async () => {
    const stderr = 'holdfast: RESERVD is not a type of event; did you mean RESERVED?\n';
    expect(await run(['watch', '--type', 'RESERVD'])).toEqual({ code: 64, stdout: '', stderr });
  });
});

describe('reset', () => {
  test('ends all reservations', async () => {
    await service.reserve({ resource: 'z', requester: 'ann' });
    expect(await run(['reset', '--yes'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^(1 reservation|(?!1 )\d+ reservations) ended\n$/),
    });
    expect(await isReserved('z')).toBe(false);
  });

  test('asks on a terminal', async () => {
    const asked = await start(['script', '-qefc', 'holdfast reset', '/dev/null'], { env, stdin: null });
    await asked.prints('Type yes: ');
    asked.write('no\n');
    const { code, stdout } = await asked.ended;
    expect(code).toBe(1);
    expect(stdout).toContain('holdfast: nothing was done');
  });
});

test('a reader that leaves early is no error', async () => {
  const { code, stderr } = await bash(`holdfast --help | head -0; echo "\${PIPESTATUS[0]}" >&2`);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^(0|141)\n$/);
});

test('a command does not load what fetch of Node is made of, which takes more CPU than all else of it', async () => {
  const file = join(folder, 'loaded.cjs');
  writeFileSync(file, "process.on('exit', () => process.stderr.write(process.moduleLoadList.join('\\n')));");
  const { code, stderr } = await run(['ls'], { env: { NODE_OPTIONS: `--require ${file}` } });
  expect(code).toBe(0);
  expect(stderr).toContain('NativeModule http');
  expect(stderr).not.toContain('undici');
});
