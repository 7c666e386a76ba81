/** `holdfast run` and signals: the command gets each one once, whichever process was signalled. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Options, type Running, start, startHoldfast } from '../../support/commandLine.ts';
import { type Instance, startInstance } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Instance;
let env: Record<string, string>;
beforeAll(async () => {
  service = await startInstance();
  env = { HOLDFAST_URL: service.url, HOLDFAST_KEY: service.key, SHELL: '/bin/sh' };
});
afterAll(() => service.stop());

/** Counts signals until half a second after the first one. */
const COUNT = [
  'n=0; trap "n=\\$((n+1))" INT TERM HUP QUIT USR1; echo ready',
  'while [ $n -eq 0 ]; do sleep 0.05; done',
  'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.05; done; echo "got $n"',
].join('\n');

const run = (args: readonly string[], options: Options = {}): Promise<Running> =>
  startHoldfast(['run', ...args], { ...options, env });

/** In a terminal of its own, with 120 columns. */
const onTerminal = (command: string): Promise<Running> =>
  start(['script', '-qefc', `stty cols 120; exec ${command}`, '/dev/null'], { env, stdin: null });

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe.concurrent('a signal to holdfast alone', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1'] as const)('is passed on: %s', async (signal) => {
    const running = await run([`a-${signal}`, '--', 'sh', '-c', COUNT]);
    await running.prints('ready');
    running.kill(signal);
    expect(await running.ended).toMatchObject({ code: 0, stdout: 'ready\ngot 1\n', stderr: '' });
  });

  test('that ends the command gives 128 + n, and the resource is released', async () => {
    const running = await run(['b', '--', 'sh', '-c', 'echo ready; exec sleep 30']);
    await running.prints('ready');
    running.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ code: 143 });
    expect((await service.check({ resource: 'b' })).body).toMatchObject([{ reserved: false }]);
  });

  test('is passed on each time: a command may ignore the first', async () => {
    const ignoring = 'trap "echo first; trap - INT" INT; echo ready; while :; do sleep 0.05; done';
    const running = await run(['c', '--', 'sh', '-c', ignoring]);
    await running.prints('ready');
    running.kill('SIGINT');
    await running.prints('first');
    running.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130 });
  });

  test('goes through a run in a run', async () => {
    const running = await run(['d', '--keep-key', '--', 'holdfast', 'run', 'e', '--', 'sh', '-c', COUNT]);
    await running.prints('ready');
    running.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ code: 0, stdout: 'ready\ngot 1\n' });
  });
});

describe.concurrent('a signal to the process group', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('reaches the command once: %s', async (signal) => {
    const running = await run([`f-${signal}`, '--', 'sh', '-c', COUNT], { detached: true });
    await running.prints('ready');
    running.kill(signal, -running.pid);
    expect(await running.ended).toMatchObject({ code: 0, stdout: 'ready\ngot 1\n' });
  });

  test('reaches the command of a run in a run once', async () => {
    const running = await run(['g', '--keep-key', '--', 'holdfast', 'run', 'h', '--', 'sh', '-c', COUNT], {
      detached: true,
    });
    await running.prints('ready');
    running.kill('SIGINT', -running.pid);
    expect(await running.ended).toMatchObject({ code: 0, stdout: 'ready\ngot 1\n' });
  });

  test('is passed on to a command that has left the group', async () => {
    const running = await run(['i', '--', 'setsid', 'sh', '-c', COUNT], { detached: true });
    await running.prints('ready');
    running.kill('SIGINT', -running.pid);
    expect(await running.ended).toMatchObject({ code: 0, stdout: 'ready\ngot 1\n' });
  });
});

describe.concurrent('a terminal', () => {
  test('is that of the command', async () => {
    const running = await onTerminal(
      'holdfast run j -- sh -c \'test -t 0 && stty size && read line && echo "[$line]"\'',
    );
    await running.prints('120');
    running.write('typed\n');
    const { stdout } = await running.ended;
    expect(stdout).toContain('[typed]\r\n');
  });

  test('sends Ctrl-C to the command once', async () => {
    const running = await onTerminal(`holdfast run k -- sh -c '${COUNT}'`);
    await running.prints('ready');
    running.write('\x03');
    await running.prints('got 1\r\n');
    expect(await running.ended).toMatchObject({ code: 0 });
  });

  test('that goes away ends the command', async () => {
    const running = await onTerminal("holdfast run l -- sh -c 'echo pid $$; exec sleep 30'");
    await running.prints('\r\n');
    const pid = Number(/pid (\d+)/.exec(running.stdout())?.[1]);
    running.kill('SIGKILL');
    await until('the command to end', () => !isAlive(pid));
    await until('the release', async () => !(await service.check({ resource: 'l' })).body[0]?.reserved);
  });
});

test('if holdfast is killed, its command is killed, too', async () => {
  // Not in its first moment: holdfast tells its helper of a command once that has started.
  const running = await run(['m', '--', 'sh', '-c', 'sleep 1; echo pid $$; exec sleep 30']);
  await running.prints('\n');
  const pid = Number(/pid (\d+)/.exec(running.stdout())?.[1]);
  expect(isAlive(pid)).toBe(true);
  running.kill('SIGKILL');
  await until('the command to end', () => !isAlive(pid));
});
