/** `holdfast apply` of large files, interrupted, and with a management token (docs/command-line.md#apply). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bash, env, folder, holdfast, run, service, startHoldfast, useService } from '../../support/commandLine.ts';
import { startFaultyProxy } from '../../support/faultyProxy.ts';
import { makeToken } from '../../support/managementTokens.ts';
import { signIn } from '../../support/tenancy.ts';
import { one, own, store, useTwoInstances } from '../../support/twoInstances.ts';
import { until } from '../../support/until.ts';

describe('a large file', () => {
  useService();

  /** Rooms below floors below houses, the leaves first. */
  const labOf = (name: string, count: number) => {
    const path = (i: number) => `${name}-house-${i % 10}>${name}-floor-${i % 100}`;
    const leaves = Array.from(
      { length: count - 110 },
      (_, i) => `- {name: ${name}-${i}, capacity: ${1 + (i % 3)}, treePath: ${path(i)}, labels: {os: os-${i % 7}}}`,
    );
    const floors = Array.from(
      { length: 100 },
      (_, i) => `- {name: ${name}-floor-${i}, group: true, treePath: ${name}-house-${i % 10}}`,
    );
    const houses = Array.from({ length: 10 }, (_, i) => `- {name: ${name}-house-${i}, group: true}`);
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, [...leaves, ...floors, ...houses].join('\n'));
    return file;
  };

  test('10,000 resources are registered in less than 20 s; a second run changes nothing', async () => {
    const file = labOf('large', 10_000);
    const startedAt = performance.now();
    const first = await run(['apply', '-f', file]);
    const tookMs = performance.now() - startedAt;
    expect(first).toMatchObject({ code: 0, stderr: 'holdfast: 10000 registered, 0 deleted, 0 unchanged\n' });
    expect(tookMs).toBeLessThan(20_000);
    const second = await run(['apply', '-f', file]);
    expect(second).toEqual({ code: 0, stdout: '', stderr: 'holdfast: 0 registered, 0 deleted, 10000 unchanged\n' });
  });

  test('killed half-way and run again, it ends with the same resources', async () => {
    const file = labOf('killed', 500);
    const proxy = await startFaultyProxy(service.url);
    // The list, two batches, and one that never arrives.
    proxy.next('pass', 'pass', 'pass', 'hang');
    const running = await startHoldfast(['apply', '-f', file], { env: { ...env, HOLDFAST_URL: proxy.url } });
    await until('the third batch is sent', () => proxy.noted.length === 4);
    running.kill('SIGKILL');
    await running.ended;
    const registered = async () =>
      (await service.definitions()).body.filter(({ name }) => name.startsWith('killed-')).length;
    expect(await registered()).toBe(200);
    expect(await run(['apply', '-f', file])).toMatchObject({ code: 0 });
    expect(await registered()).toBe(500);
    await proxy.stop();
    const again = await bash(`holdfast export | holdfast apply -f - --dry-run; holdfast apply -f ${file} --dry-run`);
    expect(again).toMatchObject({ code: 0, stdout: '' });
  });
});

describe('a management token', () => {
  useTwoInstances('Starter');

  test('with the scope definitions applies and exports', async () => {
    const { token } = await makeToken(await signIn(store.redis, own.tenant), one, ['definitions']);
    const options = { env: { HOLDFAST_URL: one.url, HOLDFAST_KEY: token }, stdin: '[{name: lab/a, capacity: 2}]' };
    await one.register({ name: 'lab/old' });
    const applied = await holdfast(['apply', '-f', '-', '--prune', '--prefix', 'lab/', '--yes'], options);
    expect(applied).toMatchObject({ code: 0, stdout: '+ lab/a  capacity 2\n- lab/old\n' });
    expect(await holdfast(['export'], options)).toEqual({
      code: 0,
      stdout: '- name: lab/a\n  capacity: 2\n',
      stderr: '',
    });
    expect(await holdfast(['ls'], options)).toMatchObject({ code: 77 });
  });
});
