/**
 * The component of GitLab CI (docs/specification.md#steps-of-ci-systems): inputs are put into its text as GitLab does,
 * and the script of its job runs in the environment that GitLab documents.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { blocksOf } from '../docs/blocks.ts';
import { type Ci, startCi } from '../support/ci.ts';
import { BIN, type Ended, start } from '../support/commandLine.ts';

const [header = '', content = ''] = readFileSync('integrations/gitlab/templates/holdfast.yml', 'utf8').split('\n---\n');
const Input = z.strictObject({
  description: z.string(),
  default: z.string().optional(),
  regex: z.string().optional(),
  options: z.array(z.string()).optional(),
});
const { inputs: SPEC } = z
  .object({ spec: z.object({ inputs: z.record(z.string(), Input) }) })
  .parse(parse(header)).spec;
const Variable = z.union([
  z.string(),
  z.object({ expand: z.literal(false), value: z.string() }).transform((one) => one.value),
]);
const Job = z.strictObject({
  stage: z.string(),
  image: z.string(),
  id_tokens: z.object({ HOLDFAST_ID_TOKEN: z.object({ aud: z.string() }) }),
  variables: z.record(z.string(), Variable),
  before_script: z.array(z.string()),
  script: z.array(z.string()),
});

/** The job for some inputs. @throws if GitLab refuses one */
function jobFor(inputs: Readonly<Record<string, string>>) {
  const unknown = Object.keys(inputs).filter((name) => !(name in SPEC));
  if (unknown.length > 0) throw new Error(`unknown input ${unknown}`);
  const text = content.replaceAll(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) => {
    const { default: value, regex = '', options } = SPEC[name] ?? {};
    const given = inputs[name] ?? value;
    if (given === undefined) throw new Error(`${name} is missing`);
    if (!new RegExp(regex, 'u').test(given) || options?.includes(given) === false)
      throw new Error(`${name} is refused`);
    return given;
  });
  const [[name = '', job] = []] = Object.entries(z.record(z.string(), Job).parse(parse(text, { version: '1.1' })));
  if (job === undefined) throw new Error('there is no job');
  return { name, ...job };
}

const folder = mkdtempSync(join(tmpdir(), 'holdfast-gitlab-'));
let ci: Ci;
beforeAll(async () => {
  ci = await startCi();
  writeFileSync(join(folder, 'npm'), '#!/bin/sh\nprintf "[%s]" "$@" > npm-arguments\n', { mode: 0o755 });
  writeFileSync(join(folder, 'deploy.sh'), '#!/bin/sh\necho "deploying $HOLDFAST_SLOTS"\n', { mode: 0o755 });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await ci.stop();
});

const given = () => ({ url: ci.service.url, tenant: ci.tenant, issuer: 'app', run: 'echo ran' });

/** Runs the job by a shell, as GitLab's runner does. */
async function run(inputs: Record<string, string>, env: Record<string, string> = {}, shell = 'bash'): Promise<Ended> {
  const { variables, before_script, script, id_tokens } = jobFor({ ...given(), ...inputs });
  expect(id_tokens.HOLDFAST_ID_TOKEN.aud).toBe(`holdfast:${ci.tenant}`);
  const own = { GITLAB_CI: 'true', CI_JOB_URL: 'https://gitlab.example/jobs/1', HOLDFAST_ID_TOKEN: await ci.jwt() };
  const PATH = `${BIN}:${folder}:${process.env.PATH ?? ''}`;
  const text = ['set -e', ...before_script, ...script].join('\n');
  return (await start([shell, '-c', text], { cwd: folder, env: { ...own, PATH, ...variables, ...env } })).ended;
}

describe('the job of the component', () => {
  test.each(['bash', 'sh'])('runs the line while it holds the resource, by %s', async (shell) => {
    const { code, stdout, stderr } = await run(
      { resource: 'staging', run: 'echo "$HOLDFAST_SLOTS"; holdfast --version' },
      {},
      shell,
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^staging\n0\.1\.0\n$/) });
    expect(stderr).toMatch(/the JWT of this job ends at .*, and gets no other/);
    expect((await ci.service.active()).body).toEqual([]);
  });

  test('says who holds the resource; the note is the address of the job', async () => {
    await ci.service.reserve({ resource: 'held', requester: 'ann', ttlSeconds: 60 });
    const { code, stdout, stderr } = await run({ resource: 'held', wait: '1s' });
    expect({ code, stdout }).toEqual({ code: 75, stdout: '' });
    expect(stderr).toContain('ann has held it for');
    const show = 'sh -c \'ls > /dev/null\'; echo "$HOLDFAST_RESOURCE"';
    expect(
      await run({ resource: 'docs', mode: 'shared', note: '', priority: '5', ttl: '1m', run: show }),
    ).toMatchObject({ stdout: 'docs\n' });
  });

  test('without a JWT fails and says why, and its line does not run', async () => {
    const { code, stdout, stderr } = await run({ resource: 'staging' }, { HOLDFAST_ID_TOKEN: '' });
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr).toContain('Declare `id_tokens');
  });
});

describe('inputs', () => {
  const ODD = `a"b': $(touch pwned) \`touch pwned\`; touch pwned & {x: [y # z \\ $HOME $[[`;

  test('are arguments, whatever they contain', async () => {
    const inputs = { resource: ODD, note: `--quiet ${ODD}`, package: `--prefix ${ODD}` };
    const { code, stdout } = await run({ ...inputs, run: 'ls; echo "$HOLDFAST_RESOURCE"' });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `deploy.sh\nnpm\nnpm-arguments\n${ODD}\n` });
    expect(readFileSync(join(folder, 'npm-arguments'), 'utf8')).toBe(`[install][--global][--][--prefix ${ODD}]`);
  });

  test.each(Object.keys(SPEC).filter((name) => name !== 'mode'))(
    '%s: one line, so that it stays where it is put',
    (name) => {
      for (const end of ['\n', '\r', '\u0085', '\u2028', '\u2029'])
        expect(() => jobFor({ ...given(), [name]: `1${end}  script: touch pwned` })).toThrow(`${name} is refused`);
    },
  );

  test('run gets no names of slots as text: {slot} is no more than itself', async () => {
    await ci.service.register({ name: 'boards', capacity: 2 });
    const { stdout } = await run({ resource: 'boards', count: '2', run: 'echo {slot} $HOLDFAST_SLOTS' });
    expect(stdout).toBe('{slot} boards_0 boards_1\n');
  });

  test('that would be options are refused', () => {
    expect(() => jobFor({ ...given(), resource: '--url=https://evil.example' })).toThrow('resource is refused');
  });
});

const Include = z.object({
  include: z.tuple([z.object({ component: z.string(), inputs: z.record(z.string(), z.string()) })]),
});
const inputsIn = (text: string) => Include.parse(parse(text)).include[0].inputs;

test('the examples of README.md and docs/examples/gitlab-ci.yml work as they are', async () => {
  const [block] = blocksOf(readFileSync('integrations/gitlab/README.md', 'utf8'));
  const first = inputsIn(block?.content ?? '');
  expect(first).toMatchObject({ url: 'https://holdfast.example.com', tenant: 'acme' });
  const { run: line = '' } = first;
  expect(await run({ ...first, ...given(), run: line })).toMatchObject({ code: 0, stdout: 'deploying staging\n' });

  await ci.service.register({ name: 'test-databases', capacity: 2 });
  writeFileSync(join(folder, 'integration-test.sh'), '#!/bin/sh\necho "testing on $1"\n', { mode: 0o755 });
  const second = inputsIn(readFileSync('docs/examples/gitlab-ci.yml', 'utf8'));
  const example = { ...second, ...given(), run: second.run ?? '' };
  expect(jobFor(example)).toMatchObject({ name: 'integration-test', stage: 'test' });
  expect(await run(example)).toMatchObject({ code: 0, stdout: 'testing on test-databases_0\n' });
});
