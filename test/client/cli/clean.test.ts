/** `holdfast condition` and `holdfast clean` (docs/command-line.md#clean). */
import { afterEach, describe, expect, test } from 'vitest';
import { env, json, type Running, run, service, startHoldfast, useService } from '../../support/commandLine.ts';
import { until } from '../../support/until.ts';

useService();

/** Ends with 0 when it is asked to end. */
const ENDS_WELL = "process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000); console.log('begun')";

const running = new Set<Running>();
afterEach(async () => {
  for (const one of running) one.kill('SIGKILL');
  await Promise.all([...running].map(({ ended }) => ended));
});

async function clean(...args: readonly string[]): Promise<Running> {
  const cleaner = await startHoldfast(['clean', ...args], { env, stdin: null });
  running.add(cleaner);
  void cleaner.ended.then(() => running.delete(cleaner));
  return cleaner;
}

const stateOf = async (resource: string) => {
  const [checked] = (await service.check({ resource })).body;
  const held = (await service.active()).body.some((one) => one.resource === resource);
  return { condition: checked?.condition ?? 'ready', reason: checked?.conditionReason, held };
};

describe('condition', () => {
  test('takes a resource out of service with a reason, and brings it back', async () => {
    await service.register({ name: 'c1' }, { name: 'c2' });
    const out = await run(['condition', 'c1', 'c2', 'out', '--reason', 'display dark']);
    expect(out).toMatchObject({ code: 0, stderr: '' });
    expect(out.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['RESOURCE', 'CONDITION', 'STATUS'],
      ['c1', 'out', 'changed'],
      ['c2', 'out', 'changed'],
      [''],
    ]);
    expect(await run(['run', 'c1', '--', 'true'])).toMatchObject({
      code: 75,
      stderr: expect.stringContaining('display dark'),
    });
    expect(await json('condition', 'c1', 'ready')).toMatchObject([{ resource: 'c1', status: 'CHANGED' }]);
    expect(await run(['run', 'c1', '--', 'true'])).toMatchObject({ code: 0 });
  });

  test('of a plain name is 65', async () => {
    const { code, stdout } = await run(['condition', 'plain', 'out']);
    expect({ code, stdout }).toEqual({ code: 65, stdout: expect.stringContaining('not_valid') });
  });
});

describe('clean', () => {
  test('waits for a dirty resource, makes it ready after exit code 0, and goes on', async () => {
    await service.register({ name: 'k1', labels: { kind: 'k' } }, { name: 'k2', labels: { kind: 'k' } });
    const cleaner = await clean('kind=k', '--', 'sh', '-c', 'echo "wiping $HOLDFAST_SLOTS"');
    for (const name of ['k1', 'k2']) {
      await run(['condition', name, 'dirty']);
      await cleaner.prints(`wiping ${name}`);
      await cleaner.prints(`${name} is clean`);
      expect(await stateOf(name)).toMatchObject({ condition: 'ready', held: false });
    }
  });

  test('takes a resource out of service, with the exit code as the reason, if the command fails', async () => {
    await service.register({ name: 'f', afterUse: 'dirty' });
    const cleaner = await clean('f', '--', 'sh', '-c', 'exit 3');
    await cleaner.prints('f is out of service: exit code 3');
    expect(await stateOf('f')).toEqual({ condition: 'out', reason: 'cleaning failed: exit code 3', held: false });
  });

  test('says that a resource is out of service if an operator has taken it out meanwhile', async () => {
    await service.register({ name: 'o', afterUse: 'dirty' });
    const cleaner = await clean('o', '--', 'sh', '-c', 'echo begun; read line');
    await cleaner.prints('begun');
    await run(['condition', 'o', 'out', '--reason', 'display dark']);
    cleaner.write('done\n');
    await cleaner.prints('o was cleaned. o is out of service: display dark');
    expect(await stateOf('o')).toMatchObject({ condition: 'out', held: false });
  });

  test('stopped by a signal, it ends the command and leaves the resource dirty: 143', async () => {
    await service.register({ name: 's', afterUse: 'dirty' });
    const cleaner = await clean('s', '--', process.execPath, '-e', ENDS_WELL);
    await cleaner.prints('begun');
    cleaner.kill('SIGTERM');
    expect((await cleaner.ended).code).toBe(143);
    expect(await stateOf('s')).toMatchObject({ condition: 'dirty', held: false });
  });

  test('stopped while it waits, it leaves the queue: 130', async () => {
    await service.register({ name: 'w' });
    const cleaner = await clean('w', '--', 'true');
    const waiting = async () =>
      (await service.request<unknown[]>('GET', '/api/v1/Reservation/waiting?resource=w')).body;
    await until('it waits', async () => (await waiting()).length === 1);
    cleaner.kill('SIGINT');
    expect((await cleaner.ended).code).toBe(130);
    expect(await waiting()).toEqual([]);
  });

  test('a command that does not exist ends it, and the resource stays dirty: 127', async () => {
    await service.register({ name: 'n', afterUse: 'dirty' });
    const cleaner = await clean('n', '--', '/no/such/command');
    expect((await cleaner.ended).code).toBe(127);
    expect(await stateOf('n')).toMatchObject({ condition: 'dirty', held: false });
  });

  test('labels that no resource has are an error: 65', async () => {
    const cleaner = await clean('kind=none', '--', 'true');
    expect((await cleaner.ended).code).toBe(65);
  });
});
