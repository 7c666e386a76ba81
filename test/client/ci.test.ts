/**
 * Jobs of CI systems without a secret (docs/guides/ci.md): the command line and @holdfast/client/ci in the environment
 * that each system documents, against a real service and a real OpenID Connect provider.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { fromCi } from '../../packages/client/src/ci/index.ts';
import { Holdfast } from '../../packages/client/src/index.ts';
import { type Ci, startCi } from '../support/ci.ts';
import { holdfast as cli, type Options } from '../support/commandLine.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-ci-'));

let ci: Ci;
let job: Record<string, string>;
beforeAll(async () => {
  ci = await startCi();
  job = { HOLDFAST_URL: ci.service.url, HOLDFAST_TENANT: ci.tenant, HOLDFAST_ISSUER: 'app' };
});
afterAll(async () => {
  await ci.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  ci.asked.length = 0;
});

const run = (args: readonly string[], env: Record<string, string>, options: Options = {}) =>
  cli(args, { ...options, env });

describe('in GitHub Actions', () => {
  test('a job gets its JWT by the request address, for the audience of its tenant, and holds in its own name', async () => {
    const show = ['sh', '-c', 'echo "$HOLDFAST_REQUESTER"'];
    const { code, stdout, stderr } = await run(['run', 'staging', '--', ...show], ci.inGitHub());
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^acme\/app#12\.[a-z0-9]{16}\n$/) });
    expect(ci.asked.map(({ url }) => url)).toEqual([
      `/jwt?api-version=2.0&audience=${encodeURIComponent(`holdfast:${ci.tenant}`)}`,
    ]);
    expect(stderr).not.toContain('ends at');
  });

  test('JWT and token are masked on stderr, and stdout has results alone', async () => {
    const { stdout, stderr } = await run(['ls', '--json'], ci.inGitHub());
    expect(JSON.parse(stdout)).toEqual([]);
    const masked = stderr.split('\n').filter((line) => line.startsWith('::add-mask::'));
    expect(masked).toEqual([expect.stringMatching(/^::add-mask::eyJ/), expect.stringMatching(/^::add-mask::hft_/)]);
    // Nothing else prints them.
    for (const line of masked) expect(stderr.split(line.slice('::add-mask::'.length))).toHaveLength(2);
  });

  test('a failure of GitHub that passes is tried again', async () => {
    const before = ci.answer;
    let times = 0;
    ci.answer = async (audience) => (++times < 3 ? [500, {}] : before(audience));
    expect((await run(['ls'], ci.inGitHub())).code).toBe(0);
    ci.answer = async () => [403, { message: 'no' }];
    expect(await run(['ls'], ci.inGitHub())).toMatchObject({
      code: 77,
      stderr: expect.stringContaining('GitHub gave no JWT (status 403)'),
    });
    ci.answer = before;
  });

  test('a job without one, as of a fork, fails and says why: its command does not run', async () => {
    const { ACTIONS_ID_TOKEN_REQUEST_URL: _, ...env } = ci.inGitHub();
    const { code, stdout, stderr } = await run(['run', 'staging', '--', 'echo', 'deployed'], env);
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr).toMatch(/this job has no JWT.*id-token: write.*fork never gets one/);
  });
});

describe('in GitLab', () => {
  const inGitLab = async () => ({ ...job, GITLAB_CI: 'true', HOLDFAST_ID_TOKEN: await ci.jwt() });

  test('a job has one JWT in a variable: it is told when that ends', async () => {
    const { code, stderr } = await run(['check', 'staging'], await inGitLab());
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^holdfast: the JWT of this job ends at 2\d{3}-\d\d-\d\dT[\d:.]+Z, and gets no other\n$/,
      ),
    });
  });

  test('a job without id_tokens is told to declare them', async () => {
    const { code, stderr } = await run(['ls'], { ...job, GITLAB_CI: 'true' });
    expect({ code, stderr }).toMatchObject({ code: 78, stderr: expect.stringContaining('Declare `id_tokens') });
  });
});

describe('in Buildkite', () => {
  test('the agent gives the JWT, with the ids that are never used again, and hides it and the token in the log', async () => {
    const file = (name: string) => join(folder, name);
    writeFileSync(file('jwt'), await ci.jwt());
    writeFileSync(
      file('buildkite-agent'),
      `#!/bin/sh
case $1 in
oidc) shift; echo "$@" > ${file('args')}; cat ${file('jwt')} ;;
redactor) cat >> ${file('redacted')}; echo >> ${file('redacted')} ;;
esac`,
    );
    chmodSync(file('buildkite-agent'), 0o755);
    const PATH = `${folder}:${process.env.PATH}`;
    const { code } = await run(['ls'], { ...job, BUILDKITE: 'true', PATH });
    expect(code).toBe(0);
    const args = `request-token --audience holdfast:${ci.tenant} --claim organization_id --claim pipeline_id\n`;
    expect(readFileSync(file('args'), 'utf8')).toBe(args);
    const redacted = readFileSync(file('redacted'), 'utf8').trim().split('\n').sort();
    expect(redacted).toEqual([readFileSync(file('jwt'), 'utf8'), expect.stringMatching(/^hft_/)]);
  });

  test('an agent that gives none is quoted', async () => {
    writeFileSync(join(folder, 'buildkite-agent'), '#!/bin/sh\necho "fatal: not allowed" >&2; exit 1');
    chmodSync(join(folder, 'buildkite-agent'), 0o755);
    const env = { ...job, BUILDKITE: 'true', PATH: `${folder}:${process.env.PATH}` };
    expect(await run(['ls'], env)).toMatchObject({ code: 78, stderr: expect.stringContaining('fatal: not allowed') });
  });
});

describe('the credentials', () => {
  const withFile = async (more: Record<string, string> = {}) => {
    writeFileSync(join(folder, 'projected'), `${await ci.jwt()}\n`);
    return { ...job, HOLDFAST_JWT_FILE: join(folder, 'projected'), ...more };
  };

  test('are those of a file before all others', async () => {
    const env = await withFile({ ...ci.inGitHub(), HOLDFAST_ID_TOKEN: 'bad' });
    expect((await run(['ls'], env)).code).toBe(0);
    expect(ci.asked).toEqual([]);
  });

  test('are a key, if there is one', async () => {
    const env = { ...ci.inGitHub(), HOLDFAST_KEY: ci.service.key };
    expect((await run(['ls'], env)).code).toBe(0);
    expect(ci.asked).toEqual([]);
  });

  test.each([
    ['a file that is not there', { HOLDFAST_JWT_FILE: '/nowhere/jwt' }, 78, '/nowhere/jwt cannot be read'],
    ['a tenant that can be none', { HOLDFAST_TENANT: 'No Tenant' }, 78, 'HOLDFAST_TENANT must be'],
    ['an instance that can be none', { HOLDFAST_INSTANCE: 'short' }, 78, 'HOLDFAST_INSTANCE must be'],
    ['an address in clear', { HOLDFAST_URL: 'http://holdfast.example.com' }, 78, 'must be https, or an address of'],
    ['an address that looks like loopback', { HOLDFAST_URL: 'http://127.0.0.1.evil.example' }, 78, 'must be https'],
    ['another requester', { HOLDFAST_REQUESTER: 'me' }, 64, 'this job acts for'],
    ['several registrations that match', { HOLDFAST_ISSUER: '' }, 77, 'send the id of the one that you mean'],
    ['another registration', { HOLDFAST_ISSUER: 'plain' }, 77, 'conditions of the issuer "plain" on repository_id'],
    ['nothing at all', { HOLDFAST_JWT_FILE: '' }, 78, 'this job has no JWT, nor HOLDFAST_KEY'],
  ])('with %s: it fails and says why', async (_, more, code, message) => {
    expect(await run(['run', 'x', '--', 'true'], await withFile(more))).toMatchObject({
      code,
      stderr: expect.stringContaining(message),
    });
  });

  test('are not passed on to the command of run, unless --keep-key is given', async () => {
    const env = await withFile({ HOLDFAST_INSTANCE: 'abcdefghij1' });
    const show = ['--', 'sh', '-c', 'env | grep -E "^HOLDFAST_(TENANT|JWT_FILE|INSTANCE)" | cut -d= -f1 | sort'];
    expect((await run(['run', 'staging', ...show], env)).stdout).toBe('');
    const { stdout } = await run(['run', '--keep-key', 'staging', ...show], env);
    expect(stdout).toBe('HOLDFAST_JWT_FILE\nHOLDFAST_TENANT\n');
  });

  test('with one instance make one requester in all steps of a job: the next step releases', async () => {
    const env = await withFile({ HOLDFAST_INSTANCE: 'abcdefghij1' });
    const { stdout } = await run(['reserve', 'held', '--json'], env);
    expect(JSON.parse(stdout)).toMatchObject({ requester: 'acme/app#12.abcdefghij1' });
    const another = await withFile({ HOLDFAST_INSTANCE: 'abcdefghij2' });
    expect((await run(['release', '-'], another, { stdin: stdout })).code).toBe(77);
    expect((await run(['release', '-'], env, { stdin: stdout })).code).toBe(0);
  });
});

describe('@holdfast/client/ci', () => {
  const client = async (env: Record<string, string>) => {
    for (const name of ['HOLDFAST_KEY', 'GITHUB_ACTIONS']) vi.stubEnv(name, '');
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    try {
      return new Holdfast(await fromCi());
    } finally {
      vi.unstubAllEnvs();
    }
  };

  test('makes a client of the job', async () => {
    const { GITHUB_ACTIONS: _, ...env } = ci.inGitHub();
    const holdfast = await client(env);
    const hold = await holdfast.reserve('by-library', { ttl: '1m' });
    expect(hold.requester).toMatch(/^acme\/app#12\.[a-z0-9]{16}$/);
    await hold.release();
  });

  test('makes a client of a key, if there is one', async () => {
    const holdfast = await client({ HOLDFAST_URL: ci.service.url, HOLDFAST_KEY: ci.service.key });
    await expect(holdfast.active()).resolves.toEqual([]);
  });

  test('exchanges again if its token was ended, and goes on', async () => {
    const { GITHUB_ACTIONS: _, ...env } = ci.inGitHub();
    const holdfast = await client(env);
    const hold = await holdfast.reserve('goes-on', { ttl: '1m' });
    const tokens = await ci.service.redis.keys(`{${ci.tenant}}:token:*`);
    await ci.service.redis.unlink(...tokens);
    await hold.renew('2m');
    expect(ci.asked).toHaveLength(2);
    await hold.release();
    expect(ci.asked).toHaveLength(2);
  });
});
