/**
 * What a release publishes: the plan of a run, and the workflow that follows it.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADDRESSES, goTag, hasTag, isPublished, packages, refusals } from '../../scripts/release/plan.ts';
import { repository } from '../../scripts/repository.ts';
import { jobOf, readWorkflow } from '../support/workflows.ts';

const FILE = 'release.yml';
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const CHANGELOG = `# Changelog\n\n## Unreleased\n\n## ${version} - 2027-01-31\n`;

describe('a run', () => {
  test('for the tag of this version, in the repository that the addresses name, may publish', () => {
    expect(refusals(`v${version}`, repository(), CHANGELOG)).toEqual([]);
    expect(refusals(null, repository(), '## Unreleased')).toEqual([]);
  });

  test('is refused in another repository, for another tag, and without an entry in the changelog', () => {
    expect(refusals(null, 'any/fork', CHANGELOG)).toEqual([
      `the addresses name ${repository()}: npm run repository -- any/fork`,
    ]);
    expect(refusals('v9.9.9', repository(), '## Unreleased')).toEqual([
      `package.json has version ${version}, not that of the tag v9.9.9`,
      `CHANGELOG.md has no heading "## ${version} - <date>"`,
    ]);
  });
});

describe('a client is published', () => {
  const server = createServer(({ url = '' }, response) => response.writeHead(Number(url.slice(1))).end());
  let url = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  afterAll(() => void server.close());

  test('if its registry does not have its version: 404', async () => {
    expect(await isPublished(`${url}/404`)).toBe(false);
    expect(await isPublished(`${url}/200`)).toBe(true);
  });

  test('never if the registry cannot say it', async () => {
    await expect(isPublished(`${url}/500`)).rejects.toThrow(`${url}/500 answered 500: run the workflow again`);
  });

  test('under the name and version of its own manifest', () => {
    const { client, python, go } = packages();
    const { name, version } = JSON.parse(readFileSync('packages/client/package.json', 'utf8'));
    expect(ADDRESSES.client(client)).toBe(`https://registry.npmjs.org/${name.replace('/', '%2f')}/${version}`);
    expect(ADDRESSES.python(python)).toMatch(/^https:\/\/pypi\.org\/pypi\/holdfast\/\d+\.\d+\.\d+\/json$/);
    expect(goTag(go)).toMatch(/^packages\/go\/holdfast\/v\d+\.\d+\.\d+$/);
    expect(go.name).toBe(`github.com/${repository()}/packages/go/holdfast`);
  });

  test('for Go if the repository does not have its tag', () => {
    const remote = mkdtempSync(join(tmpdir(), 'holdfast-remote-'));
    const author = ['-c', 'user.name=ann', '-c', 'user.email=ann@example.com'];
    for (const args of [
      ['init', '-q'],
      [...author, 'commit', '-q', '--allow-empty', '-m', 'a'],
      ['tag', 'a/v1.2.3'],
    ])
      expect(spawnSync('git', args, { cwd: remote }).status).toBe(0);
    expect(['a/v1.2.3', 'a/v1.2', 'v1.2.3'].map((tag) => hasTag(remote, tag))).toEqual([true, false, false]);
    rmSync(remote, { recursive: true });
    expect(() => hasTag(remote, 'a/v1.2.3')).toThrow(`git ls-remote ${remote}: `);
  });
});

describe('the workflow', () => {
  test('publishes nothing before the plan and all that a change must pass', () => {
    const { on, jobs } = readWorkflow(FILE);
    expect(on).toEqual({ push: { tags: ['v*'] }, workflow_dispatch: null });
    const needs = Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, job.needs]));
    expect(needs).toEqual({
      plan: [],
      check: ['plan'],
      image: ['plan', 'check'],
      client: ['plan', 'check'],
      python: ['plan'],
      pypi: ['plan', 'check', 'python'],
      go: ['plan'],
      'go-tag': ['plan', 'check', 'go'],
    });
    const { runs } = jobOf(FILE, 'check');
    expect(runs).toEqual(expect.arrayContaining(['.ci/run', 'npm run upgrade-test']));
  });

  test('plans by a command, whose answers the other jobs read', () => {
    const { steps, outputs } = jobOf(FILE, 'plan');
    expect(steps.at(-1)).toMatchObject({ id: 'plan', run: 'npm run release:plan' });
    const answers = ['image', 'version', ...Object.keys(packages()), 'tag'];
    expect(outputs).toEqual(Object.fromEntries(answers.map((name) => [name, `\${{ steps.plan.outputs.${name} }}`])));
    const used = readFileSync(`.github/workflows/${FILE}`, 'utf8').matchAll(/needs\.plan\.outputs\.(\w+)/g);
    expect([...new Set([...used].map(([, name]) => name))].sort()).toEqual(answers.sort());
  });

  test('has no shell of its own: a step runs one command of the repository, or a tool', () => {
    const runs = Object.values(readWorkflow(FILE).jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    expect(runs.filter((run) => /[\n|;$]|\{\{/.test(run.replaceAll(/"\$(IMAGE|TAG)"/g, '')))).toEqual([]);
  });
});

describe('the images', () => {
  const BUILD_ARGS = /^VERSION=.* needs\.plan\.outputs\.version .*\nCOMMIT=.* github\.sha .*\n$/;

  test('are published for a tag only, for two architectures, with SBOM, provenance, version and commit', () => {
    const job = jobOf(FILE, 'image');
    expect(job.if).toBe("github.ref_type == 'tag'");
    expect(job.permissions).toEqual({ contents: 'read', packages: 'write' });
    expect(job.strategy).toEqual({
      matrix: {
        include: [
          { target: '', suffix: '' },
          { target: 'standalone', suffix: '-standalone' },
        ],
      },
    });
    expect(job.steps.at(-1)?.with).toMatchObject({
      platforms: 'linux/amd64,linux/arm64',
      push: true,
      sbom: true,
      provenance: 'mode=max',
      labels: expect.stringMatching(/^org\.opencontainers\.image\.source=.*server_url .*\/.* github\.repository /),
      'build-args': expect.stringMatching(BUILD_ARGS),
    });
  });

  test('are built where installed packages find no token', () => {
    expect(jobOf(FILE, 'image').uses('actions/checkout')?.with).toEqual({ 'persist-credentials': false });
  });

  test('are tried before anything is signed in to the registry', () => {
    const { steps } = jobOf(FILE, 'image');
    const order = steps.map(({ uses = '', run = '', with: { load, push } }) =>
      [run || uses.replace(/@.*/, ''), load && 'load', push && 'push'].filter(Boolean).join(' '),
    );
    expect(order.slice(-5)).toEqual([
      'docker/build-push-action load',
      'npm ci',
      'npm run release:try-image -- "$IMAGE"',
      'docker/login-action',
      'docker/build-push-action push',
    ]);
    expect(steps.at(-5)?.with).toMatchObject({ tags: steps.at(-1)?.with.tags, target: steps.at(-1)?.with.target });
    expect(steps.at(-5)?.with['build-args']).toMatch(BUILD_ARGS);
  });

  test('know their version and commit', () => {
    const dockerfile = readFileSync('Dockerfile', 'utf8');
    const [, stage = ''] = /^FROM base AS build$(.*?)^FROM /ms.exec(dockerfile) ?? [];
    expect(stage).toMatch(/^ARG VERSION\nARG COMMIT\nRUN npm run build:service$/m);
    const [, service = ''] = /^FROM \S+ AS service$(.*?)^FROM /ms.exec(dockerfile) ?? [];
    for (const [label, arg] of Object.entries({ version: 'VERSION', revision: 'COMMIT' })) {
      expect(service).toMatch(new RegExp(`^ARG ${arg}$.*org\\.opencontainers\\.image\\.${label}=\\$${arg}\\b`, 'ms'));
    }
    expect(dockerfile).toMatch(/^FROM service AS standalone$/m);
  });
});

describe('a client', () => {
  test.each([
    ['client', 'client', 'npm', { contents: 'read', 'id-token': 'write' }],
    ['python', 'pypi', 'pypi', { 'id-token': 'write' }],
    ['go', 'go-tag', 'go', { contents: 'write' }],
  ])('%s is published if its version is new, after an approval, without a token', (client, name, approved, rights) => {
    const job = jobOf(FILE, name);
    expect(job.if).toBe(`needs.plan.outputs.${client} == 'true'`);
    expect(job.environment).toBe(approved);
    expect(job.permissions).toEqual(rights);
    expect(JSON.stringify(job.steps)).not.toContain('secrets.');
  });

  test('for Python is tried on the oldest and the newest Python, and published as it was tried', () => {
    const { strategy, runs, uses } = jobOf(FILE, 'python');
    const [, oldest] =
      /^requires-python = ">=(.*)"$/m.exec(readFileSync('packages/python/pyproject.toml', 'utf8')) ?? [];
    expect(strategy).toEqual({ matrix: { python: [oldest, '3.x'] } });
    expect(runs.slice(-2)).toEqual([
      'mkdir packed && npm run pack:python -- packed',
      'npm run release:try-python -- packed',
    ]);
    expect(uses('actions/upload-artifact')).toMatchObject({ with: { name: 'python', path: 'packed' } });
    const { steps } = jobOf(FILE, 'pypi');
    expect(steps.map(({ uses: action, with: inputs }) => [action?.replace(/@.*/, ''), inputs])).toEqual([
      ['actions/download-artifact', { name: 'python', path: 'packed' }],
      ['pypa/gh-action-pypi-publish', { 'packages-dir': 'packed' }],
    ]);
  });

  test('for Go is tried with the oldest and the newest Go, by the tag that is pushed', () => {
    const { strategy, steps } = jobOf(FILE, 'go');
    const [, oldest] = /^go (.*)$/m.exec(readFileSync('packages/go/holdfast/go.mod', 'utf8')) ?? [];
    expect(strategy).toEqual({ matrix: { go: [oldest, 'stable'] } });
    expect(steps.at(-1)?.run).toBe('npm run release:try-go -- "$TAG"');
    expect(jobOf(FILE, 'go-tag').runs).toEqual(['git tag "$TAG" && git push origin "$TAG"']);
  });

  test('for TypeScript is published as it was packed and tested', () => {
    const { runs, steps, uses } = jobOf(FILE, 'check');
    const packs = runs.indexOf('mkdir packed && npm run pack:client -- --pack-destination packed');
    expect(packs).toBeGreaterThan(runs.indexOf('.ci/run'));
    expect(runs[packs + 1]).toBe('npx vitest run --project thorough test/client/package/package.thorough.test.ts');
    expect(steps.find(({ run }) => run === runs[packs + 1])?.env).toEqual({ CLIENT_TARBALLS: 'packed' });
    expect(uses('actions/upload-artifact')?.with).toMatchObject({ name: 'client', path: 'packed' });
    const publishing = jobOf(FILE, 'client');
    expect(publishing.uses('actions/download-artifact')?.with).toEqual({ name: 'client', path: 'packed' });
    expect(publishing.runs).toEqual(['npm publish ./packed/*.tgz --access public']);
  });
});
