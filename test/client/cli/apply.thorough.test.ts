/** `holdfast apply` of large files, interrupted, and with a management token (docs/command-line.md#apply). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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

  test('10,000 resources take 101 requests and less than 20 s of CPU; a second run changes nothing', async () => {
    const file = labOf('large', 10_000);
    const proxy = await startFaultyProxy(service.url);
    // Not the time that passes: that is of all that runs on the machine.
    const first = await bash(
      `export HOLDFAST_URL=${proxy.url} TIMEFORMAT='CPU %U %S'; time holdfast apply -f ${file} > /dev/null`,
    );
    const [done, cpu = ''] = first.stderr.trimEnd().split('\n');
    expect([first.code, done]).toEqual([0, 'holdfast: 10000 registered, 0 deleted, 0 unchanged']);
    expect(proxy.noted).toHaveLength(101);
    const [user = Number.NaN, system = Number.NaN] = cpu.replace('CPU ', '').split(' ').map(Number);
    expect(user + system).toBeLessThan(20);
    await proxy.stop();
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

describe('apply --prune that is killed at random moments, again and again', () => {
  useService();

  /** Brings a lab from one state to another: it adds, changes and deletes. One that has to go is held. */
  async function prepare(name: string): Promise<string[]> {
    const before = Array.from({ length: 60 }, (_, i) => ({ name: `${name}/old-${i}`, capacity: 2, treePath: name }));
    await service.register({ name, group: true }, ...before);
    await service.reserve({ resource: `${name}/old-55`, requester: 'ann', ttlSeconds: 600 });
    const kept = before.slice(0, 50).map((one, i) => ({ ...one, capacity: 2 + (i % 3) }));
    const added = Array.from({ length: 350 }, (_, i) => ({ name: `${name}/new-${i}`, treePath: `${name}>${name}/up` }));
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify([...added, ...kept, { name: `${name}/up`, group: true, treePath: name }]));
    return ['apply', '-f', file, '--prune', '--prefix', `${name}/`, '--yes'];
  }
  const endOf = async (name: string) =>
    (await service.definitions()).body
      .filter((one) => one.name.startsWith(`${name}/`))
      .map((one) => JSON.stringify(one).replaceAll(`"${name}`, '"lab').replaceAll(`>${name}`, '>lab'));

  test('ends as one that nobody has disturbed', async () => {
    const [calm, killed] = [await prepare('calm'), await prepare('killed')];
    expect(await run(calm)).toMatchObject({ code: 75 });
    const proxy = await startFaultyProxy(service.url);
    const moments: string[] = [];
    for (let kill = 0; kill < 6; kill++) {
      const from = proxy.noted.length;
      const [requests, delayMs] = [1 + Math.floor(Math.random() * 14), Math.floor(Math.random() * 30)];
      moments.push(`${requests} requests and ${delayMs} ms`);
      const running = await startHoldfast(killed, { env: { ...env, HOLDFAST_URL: proxy.url } });
      let isEnded = false;
      running.ended.then(() => {
        isEnded = true;
      });
      await until('the requests', () => isEnded || proxy.noted.length >= from + requests);
      await sleep(delayMs);
      if (!isEnded) running.kill('SIGKILL');
      await running.ended;
    }
    expect(await run(killed), moments.join(', ')).toMatchObject({ code: 75 });
    const end = await endOf('killed');
    expect(end, moments.join(', ')).toEqual(await endOf('calm'));
    expect(end).toHaveLength(402);
    await proxy.stop();
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
