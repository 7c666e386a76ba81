/**
 * The examples of docs/examples run as they are: their steps in bash, with `holdfast` on the PATH, and a stand-in for
 * the script that they protect. Two of each run at the same time, and exclude each other.
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
/** Waits for the other one to begin. */
const TOGETHER = `until [ $(grep -c begin '${LOG}') = 2 ]; do sleep 0.05; done`;

function program(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), 0o755);
}

beforeAll(async () => {
  service = await startInstance();
  await service.register({ name: 'phones', capacity: 2 });
  env = { HOLDFAST_URL: service.url, HOLDFAST_KEY: service.key, PATH: `${BIN}:${folder}:${process.env.PATH ?? ''}` };
  program('npm', '#!/bin/sh\n'); // The command line is there already.
  for (const name of ['deploy.sh', 'release.sh', 'migrate.sh', 'backup.sh']) program(name, protectedBy('sleep 0.2'));
  program('integration-test.sh', protectedBy(TOGETHER));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await service.stop();
});

async function run(command: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return (await start(command, { env: { ...env, ...more }, cwd: folder })).ended;
}

/** Runs steps twice at the same time. Returns what the protected scripts have noted. */
async function twice(steps: readonly string[], more: Readonly<Record<string, string>>): Promise<string[]> {
  writeFileSync(LOG, '');
  const script = steps.join('\n');
  const ended = await Promise.all([1, 2].map(() => run(['bash', '--norc', '-euc', script], more)));
  expect(ended.map(({ code, stdout }) => ({ code, stdout }))).toEqual([1, 2].map(() => ({ code: 0, stdout: '' })));
  return notes();
}

const notes = () => readFileSync(LOG, 'utf8').split('\n').slice(0, -1);

const ONE_BY_ONE = ['begin ', 'end ', 'begin ', 'end '];

describe('the example for', () => {
  test('GitHub Actions deploys one at a time', async () => {
    const Workflow = z.object({
      jobs: z.object({
        deploy: z.object({
          env: z.record(z.string(), z.string()),
          steps: z.array(z.object({ run: z.string().optional() })),
        }),
      }),
    });
    const { steps, env: variables } = Workflow.parse(parse(read('github-actions.yml'))).jobs.deploy;
    expect(Object.keys(variables)).toEqual(['HOLDFAST_URL', 'HOLDFAST_KEY', 'RUN']);
    const lines = steps.flatMap(({ run }) => run ?? []);
    expect(await twice(lines, { RUN: 'https://github.example/run/1' })).toEqual(ONE_BY_ONE);
  });

  test('GitLab CI tests on a database of its own', async () => {
    const Job = z.object({ before_script: z.array(z.string()), script: z.array(z.string()) });
    const job = z.object({ 'integration-test': Job }).parse(parse(read('gitlab-ci.yml')))['integration-test'];
    await service.register({ name: 'test-databases', capacity: 2 });
    const noted = await twice([...job.before_script, ...job.script], { CI_JOB_URL: 'https://gitlab.example/1' });
    expect(noted.toSorted()).toEqual(
      ['begin', 'end'].flatMap((what) => [`${what} test-databases_0`, `${what} test-databases_1`]),
    );
  });

  test('Jenkins releases one at a time', async () => {
    const steps = [...read('Jenkinsfile').matchAll(/^\s*sh '(.*)'$/gm)].map(([, step = '']) => step);
    expect(steps).toHaveLength(1);
    expect(await twice(steps, { BUILD_URL: 'https://jenkins.example/1' })).toEqual(ONE_BY_ONE);
  });

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
