/**
 * The examples of docs/examples run as they are: their steps in bash, with `holdfast` on the PATH, and a stand-in for
 * the script that they protect. Two of each run at the same time, and exclude each other. Those of CI systems run in
 * test/integrations.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { BIN, type Ended, start } from '../../support/commandLine.ts';
import { type Instance, startInstance } from '../../support/service.ts';

const EXAMPLES = join(import.meta.dirname, '../../../docs/examples');
const read = (file: string) => readFileSync(join(EXAMPLES, file), 'utf8');

const folder = mkdtempSync(join(tmpdir(), 'holdfast-examples-'));
const LOG = join(folder, 'log');
let service: Instance;
let env: Record<string, string>;

/** Notes when it begins and ends. */
const protectedBy = (work: string) => `#!/bin/sh\necho "begin $*" >> '${LOG}'\n${work}\necho "end $*" >> '${LOG}'\n`;

function program(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), 0o755);
}

beforeAll(async () => {
  service = await startInstance();
  await service.register({ name: 'phones', capacity: 2 });
  env = { HOLDFAST_URL: service.url, HOLDFAST_KEY: service.key, PATH: `${BIN}:${folder}:${process.env.PATH ?? ''}` };
  for (const name of ['migrate.sh', 'backup.sh']) program(name, protectedBy('sleep 0.2'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await service.stop();
});

async function run(command: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return (await start(command, { env: { ...env, ...more }, cwd: folder })).ended;
}

const notes = () => readFileSync(LOG, 'utf8').split('\n').slice(0, -1);

const ONE_BY_ONE = ['begin ', 'end ', 'begin ', 'end '];

describe('the example for', () => {
  test('cron makes one backup, whichever machine is first', async () => {
    const file = join(folder, 'key');
    writeFileSync(file, service.key);
    const [, line = ''] = /^0 3 \* \* \* (.*)$/m.exec(read('crontab')) ?? [];
    // The minute lasts until the other one has ended.
    const over = join(folder, 'over');
    program(
      'sleep',
      `#!/bin/sh\n[ "$1" = 60 ] || exec /bin/sleep "$@"\nuntil [ -e '${over}' ]; do /bin/sleep 0.05; done\n`,
    );
    writeFileSync(LOG, '');
    const cron = { HOLDFAST_KEY: '', HOLDFAST_KEY_FILE: file };
    const runOne = () => run(['sh', '-c', line], cron).finally(() => writeFileSync(over, ''));
    const ended = await Promise.all([runOne(), runOne()]);
    rmSync(join(folder, 'sleep'));
    expect(ended.map(({ code }) => code).toSorted()).toEqual([0, 75]);
    expect(ended.map(({ stdout, stderr }) => stdout + stderr)).toEqual(['', '']);
    expect(notes()).toEqual(['begin ', 'end ']);
  });

  test('Kubernetes migrates in one pod after the other', async () => {
    const Pod = z.object({ initContainers: z.array(z.object({ command: z.array(z.string()) })) });
    const Deployment = z.object({ spec: z.object({ template: z.object({ spec: Pod }) }) });
    const [container] = Deployment.parse(parse(read('kubernetes.yml'))).spec.template.spec.initContainers;
    const command = (pod: string) => (container?.command ?? []).map((word) => word.replace('$(POD)', pod));
    writeFileSync(LOG, '');
    const ended = await Promise.all(['orders-1', 'orders-2'].map((pod) => run(command(pod))));
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    expect(notes()).toEqual(ONE_BY_ONE);
  });
});
