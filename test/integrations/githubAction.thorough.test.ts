/**
 * The step of GitHub Actions (docs/specification.md#steps-of-ci-systems): its entry points in the environment that the
 * runner documents, against a real service and a real OpenID Connect provider.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { blocksOf } from '../docs/blocks.ts';
import { type Ci, startCi } from '../support/ci.ts';
import type { Ended, Running } from '../support/commandLine.ts';
import { Job } from '../support/githubRunner.ts';
import { until } from '../support/until.ts';

let ci: Ci;
let job: Job;
beforeAll(async () => {
  ci = await startCi();
});
afterAll(() => ci.stop());
beforeEach(async () => {
  await ci.service.reset();
  job = new Job(withoutService(ci.inGitHub()));
});

/** The address comes by inputs. */
const withoutService = (env: Record<string, string>) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('HOLDFAST_')));
const step = (inputs: Record<string, string>, of = job) =>
  of.step({ url: ci.service.url, tenant: ci.tenant, issuer: 'app', ...inputs });
const held = async () => (await ci.service.active()).body.map(({ resource }) => resource);
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
/** Cancels a step as the runner does: it signals the process of the step alone. */
const cancel = async (running: Running, ...signals: readonly NodeJS.Signals[]): Promise<Ended> => {
  for (const signal of signals) running.kill(signal);
  return running.ended;
};
const secretsIn = (text: string) => [...text.matchAll(/^::add-mask::(.+)$/gm)].map(([, secret = '']) => secret);

describe('with run', () => {
  test('it holds the resource while the lines run, with outputs and the variables of holdfast run', async () => {
    await ci.service.register({ name: 'boards', capacity: 2, attributes: { hub: '10.0.0.7' } });
    const one = step({
      ...{ resource: 'boards', ttl: '5m', count: '2' },
      run: 'echo "$HOLDFAST_SLOTS on $HOLDFAST_ATTR_HUB" | tr "\\n" " "\nfalse\necho never',
    });
    const { code, stdout, stderr } = await one.run();
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'boards_0 boards_1 on 10.0.0.7 10.0.0.7 ' });
    expect(stderr).toContain('\nholdfast: boards is held: boards_0, boards_1\n');
    expect(stderr).toContain('\n::error title=Holdfast::run ended with exit code 1\n');
    expect(one.outputs).toEqual({
      ...{ resource: 'boards', slots: 'boards_0\nboards_1', 'fencing-token': expect.stringMatching(/^\d+$/) },
    });
    expect(await held()).toEqual([]);
    expect(await one.post()).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  test('it says who holds the resource, and the place in the queue; the note of a run is its address', async () => {
    const first = await step({
      resource: 'staging',
      run: 'echo first; read -r line < /dev/tcp/127.0.0.1/1 || sleep 60',
    }).start();
    await first.prints('first');
    const second = await step({ resource: 'staging', wait: '1m', run: 'echo second' }, new Job(job.env)).start();
    await second.prints('holdfast: waiting for staging: you are next. acme/app#12.');
    expect(second.stderr()).toContain('(https://github.example/acme/app/actions/runs/12); its lease ends in ');
    await cancel(first, 'SIGINT');
    expect(await second.ended).toMatchObject({ code: 0, stdout: 'second\n' });
  });

  test('a signal reaches the programs of the lines, and nothing is released before they have ended', async () => {
    const trap = 'trap "" TERM; trap "sleep 0.3; echo late; exit 0" INT; echo ready; while :; do sleep 0.05; done';
    const one = step({
      resource: 'staging',
      run: `bash -c '${trap}'\necho next`,
    });
    const running = await one.start();
    await running.prints('ready');
    running.kill('SIGINT');
    running.kill('SIGTERM');
    await running.prints('late');
    const { code, stdout } = await running.ended;
    expect({ code, stdout }).toEqual({ code: 143, stdout: 'ready\nlate\n' });
    expect(await held()).toEqual([]);
    expect(await one.post()).toMatchObject({ code: 0, stderr: '' });
  });

  test('cancelled while it waits, it gives up its place at once', async () => {
    await ci.service.reserve({ resource: 'staging', requester: 'ann', ttlSeconds: 60 });
    const running = await step({ resource: 'staging', wait: '1m', run: 'echo deployed' }).start();
    await running.prints('you are next');
    expect(await cancel(running, 'SIGINT')).toMatchObject({ code: 130, stdout: '' });
    expect((await ci.service.waiting()).body).toEqual([]);
  });

  test('if the lease is lost, the lines are ended, and the step fails', async () => {
    const running = await step({ resource: 'staging', ttl: '3s', run: 'echo ready; sleep 60' }).start();
    await running.prints('ready');
    await ci.service.reset();
    const { code, stderr } = await running.ended;
    expect(code).toBe(76);
    expect(stderr).toContain('sending SIGKILL to the command');
    expect(stderr).toContain('::error title=Holdfast::run ended with exit code 76');
  });

  test('killed, its lines are killed, too, and the post step has nothing to do', async () => {
    const one = step({ resource: 'staging', ttl: '2s', run: 'sleep 0.5; echo "pid $$"; exec sleep 60' });
    const running = await one.start();
    await running.prints('\n');
    await running.prints('pid ');
    const pid = Number(/pid (\d+)/.exec(running.stdout())?.[1]);
    running.kill('SIGKILL');
    await running.ended;
    await until('the lines to end', () => !isAlive(pid));
    expect(await one.post()).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('without run', () => {
  test('it holds the resource until the post step, renewed meanwhile, and later steps have the variables', async () => {
    const one = step({ resource: 'staging', ttl: '6s' });
    const { code, stdout, stderr } = await one.run();
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(job.env).toMatchObject({ HOLDFAST_RESOURCE: 'staging', HOLDFAST_SLOTS: 'staging' });
    expect(job.env.HOLDFAST_FENCING_TOKEN).toBe(one.outputs['fencing-token']);
    expect(job.env.HOLDFAST_REQUESTER).toMatch(/^acme\/app#12\.[a-z0-9]{16}$/);
    // JWT, token and release token are masked, and nothing else prints them.
    const secrets = secretsIn(stderr);
    expect(secrets).toEqual([expect.stringMatching(/^eyJ/), expect.stringMatching(/^hft_/), expect.any(String)]);
    for (const secret of secrets) {
      expect(stderr.split(secret)).toHaveLength(2);
      expect(JSON.stringify([job.env, one.outputs])).not.toContain(secret);
    }
    const [first] = (await ci.service.active()).body;
    await until('a renewal', async () => {
      const [now] = (await ci.service.active()).body;
      return Date.parse(now?.expiresAt ?? '') > Date.parse(first?.expiresAt ?? '') + 1000;
    });
    const pid = one.renewer;
    expect(isAlive(pid)).toBe(true);
    const ended = await one.post();
    expect({ ...ended, stderr: ended.stderr.replace(/^::add-mask::.*\n/gm, '') }).toEqual({
      ...{ code: 0, stdout: '', stderr: 'holdfast: staging is released\n' },
    });
    expect(await held()).toEqual([]);
    await until('the renewals to end', () => !isAlive(pid));
  });

  test('if it was lost meanwhile, the post step fails the job', async () => {
    const one = step({ resource: 'staging', ttl: '1s' });
    await one.run();
    await ci.service.reset();
    await until('the renewals to notice', () => !isAlive(one.renewer));
    const { code, stderr } = await one.post();
    expect(code).toBe(76);
    expect(stderr).toContain('holdfast: staging: NOT_RESERVED');
    expect(stderr).toContain('::error title=Holdfast::staging was lost while the job ran');
  });

  test('if it was lost and somebody else has it, the post step leaves that alone', async () => {
    const one = step({ resource: 'staging' });
    await one.run();
    await ci.service.reset();
    await ci.service.reserve({ resource: 'staging', requester: 'ann', ttlSeconds: 60 });
    expect((await one.post()).code).toBe(76);
    expect(await held()).toEqual(['staging']);
  });

  test('if the renewals were killed, the post step releases', async () => {
    const one = step({ resource: 'staging', ttl: '1m' });
    await one.run();
    process.kill(one.renewer, 'SIGKILL');
    expect((await one.post()).code).toBe(0);
    expect(await held()).toEqual([]);
  });

  test('cancelled or killed while it waits, nothing is held, and the post step has nothing to do', async () => {
    await ci.service.reserve({ resource: 'staging', requester: 'ann', ttlSeconds: 60 });
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGKILL', null],
    ] as const) {
      const one = step({ resource: 'staging', wait: '1m' });
      const running = await one.start();
      await running.prints('you are next');
      expect(await cancel(running, signal)).toMatchObject({ code });
      expect(await one.post()).toMatchObject({ code: 0, stderr: '' });
    }
    expect((await ci.service.active()).body.map(({ requester }) => requester)).toEqual(['ann']);
  });
});

describe('README.md', () => {
  test('shows steps that work as they are', async () => {
    const Steps = z.array(z.object({ run: z.string().optional(), with: z.record(z.string(), z.string()).optional() }));
    const Page = z.union([
      z.object({ steps: Steps }),
      z.object({ jobs: z.object({ deploy: z.object({ steps: Steps }) }) }).transform(({ jobs }) => jobs.deploy),
    ]);
    const blocks = blocksOf(readFileSync('integrations/github-action/README.md', 'utf8'));
    const pages = blocks.map(({ content }) =>
      Page.parse(parse(content)).steps.flatMap((one) => (one.with === undefined ? [] : [one.with])),
    );
    for (const [i, script] of ['deploy.sh', 'flash.sh'].entries()) {
      writeFileSync(join(job.folder, script), '#!/bin/sh\necho "$0 $HOLDFAST_SLOTS"\n', { mode: 0o755 });
      const [inputs = {}] = pages[i] ?? [];
      expect(inputs).toMatchObject({ url: 'https://holdfast.example.com', tenant: 'acme' });
      const one = step({ ...inputs, url: ci.service.url, tenant: ci.tenant });
      expect((await one.run()).stdout).toBe(inputs.run === undefined ? '' : './deploy.sh staging\n');
      expect((await one.post()).code).toBe(0);
    }
    expect(job.env.HOLDFAST_SLOTS).toBe('phones');
  });
});

test('docs/examples/github-actions.yml deploys one at a time', async () => {
  const Example = z.object({
    jobs: z.object({
      deploy: z.object({ steps: z.tuple([z.unknown(), z.object({ with: z.record(z.string(), z.string()) })]) }),
    }),
  });
  const [, { with: inputs }] = Example.parse(parse(readFileSync('docs/examples/github-actions.yml', 'utf8'))).jobs
    .deploy.steps;
  const log = join(job.folder, 'log');
  const script = `#!/bin/sh\necho begin >> '${log}'; sleep 0.2; echo end >> '${log}'\n`;
  const jobs = [job, new Job(job.env)];
  for (const { folder } of jobs) writeFileSync(join(folder, 'deploy.sh'), script, { mode: 0o755 });
  const here = { ...inputs, url: ci.service.url, tenant: ci.tenant };
  const ended = await Promise.all(jobs.map((one) => step(here, one).run()));
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  expect(readFileSync(log, 'utf8')).toBe('begin\nend\nbegin\nend\n');
});

describe('a job without a JWT, as of a pull request from a fork', () => {
  test.each([{ run: 'echo deployed' }, { run: '' }])('fails and says why, and holds nothing: %o', async (inputs) => {
    const { ACTIONS_ID_TOKEN_REQUEST_URL: _, ...env } = job.env;
    const one = step({ resource: 'staging', ...inputs }, new Job(env));
    const { code, stdout, stderr } = await one.run();
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr).toMatch(/^::error title=Holdfast::.*this job has no JWT.*id-token: write.*fork never gets one\n$/);
    expect(await one.post()).toMatchObject({ code: 0, stderr: '' });
    expect(await held()).toEqual([]);
  });
});

describe('inputs', () => {
  test('are arguments: none becomes an option, a variable or a line of a shell', async () => {
    const odd = '--url=http://evil.example $(touch pwned) `touch pwned`; touch pwned';
    const note = 'for you\n::set-output name=slots::evil ##[set-output name=slots]evil %0A::error::x';
    const one = step({ resource: odd, note: '--quiet "$(touch pwned)"', run: 'ls; echo "$HOLDFAST_RESOURCE"' });
    const { code, stdout } = await one.run();
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^(?!.*pwned)[\s\S]*\n--url=http:[^\n]*pwned\n$/),
    });
    await ci.service.reserve({ resource: 'staging', requester: 'eve', ttlSeconds: 60, note: note.replace('\n', ' ') });
    const refused = await step({ resource: 'staging', run: 'true' }).run();
    expect(refused).toMatchObject({ code: 75, stdout: '' });
    const [line = ''] = /^::error.*eve.*$/m.exec(refused.stderr) ?? [];
    expect(line).toContain('# #[set-output');
    expect(refused.stderr.split('\n').filter((text) => /^\s*::(?!add-mask)/.test(text))).toEqual([line]);
    expect(line).toContain('%250A::error');
  });

  test('lines are for this user alone, and get no token of the runner; a note has one line', async () => {
    const own = new Job({ ...job.env, ACTIONS_RUNTIME_TOKEN: 'secret' });
    const lines = 'stat -c %a "$0"; printenv ACTIONS_RUNTIME_TOKEN || echo none';
    expect(await step({ resource: 'staging', run: lines }, own).run()).toMatchObject({ stdout: '600\nnone\n' });
    const one = step({ resource: 'staging', note: 'release\n 1.4' });
    await one.run();
    expect((await ci.service.active()).body.map(({ note }) => note)).toEqual(['release 1.4']);
    expect((await one.post()).code).toBe(0);
  });

  test('several resources, labels and readers', async () => {
    await ci.service.register({ name: 'tab', labels: { os: 'ios', size: 'l' } });
    const all = step({ resource: 'a b\n c', match: 'os=ios,size!=s', run: 'echo "$HOLDFAST_RESOURCE"' });
    expect(await all.run()).toMatchObject({ code: 0, stdout: 'a b\nc\ntab\n' });
    expect(all.outputs.resource).toBe('a b\nc\ntab');
    await ci.service.reserve({ resource: 'docs', requester: 'ann', ttlSeconds: 60, mode: 'SHARED' });
    expect(await step({ resource: 'docs', mode: 'shared', run: 'true' }).run()).toMatchObject({ code: 0 });
  });

  test.each([
    [{ mode: 'both' }, 'mode is exclusive or shared'],
    [{ ttl: 'soon' }, '--ttl is a duration such as'],
    [{ resource: '' }, 'name a resource, or use'],
  ])('that are wrong fail the step: %o', async (inputs, message) => {
    const { code, stderr } = await step({ resource: 'staging', run: 'true', ...inputs }).run();
    expect({ code, stderr }).toEqual({
      code: 64,
      stderr: expect.stringContaining(`::error title=Holdfast::${message}`),
    });
  });
});
