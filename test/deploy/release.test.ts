/**
 * What a release publishes: the plan of a run, and the workflow that follows it.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADDRESSES, isPublished, packages, refusals } from '../../scripts/release/plan.ts';
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
    const { name, version } = JSON.parse(readFileSync('packages/client/package.json', 'utf8'));
    expect(ADDRESSES.client(packages().client)).toBe(
      `https://registry.npmjs.org/${name.replace('/', '%2f')}/${version}`,
    );
  });
});

describe('the workflow', () => {
  test('publishes nothing before the plan and all that a change must pass', () => {
    const { on, jobs } = readWorkflow(FILE);
    expect(on).toEqual({ push: { tags: ['v*'] }, workflow_dispatch: null });
    expect(Object.keys(jobs)).toEqual(['plan', 'check', 'image', 'client']);
    expect(jobs.check?.needs).toEqual(['plan']);
    for (const name of ['image', 'client']) expect(jobs[name]?.needs).toEqual(['plan', 'check']);
    const { runs } = jobOf(FILE, 'check');
    expect(runs).toEqual(expect.arrayContaining(['.ci/run', 'npm run upgrade-test']));
  });

  test('plans by a command, whose answers the other jobs read', () => {
    const { steps, outputs } = jobOf(FILE, 'plan');
    expect(steps.at(-1)).toMatchObject({ id: 'plan', run: 'npm run release:plan' });
    const answers = ['image', 'version', ...Object.keys(packages())];
    expect(outputs).toEqual(Object.fromEntries(answers.map((name) => [name, `\${{ steps.plan.outputs.${name} }}`])));
    const used = readFileSync(`.github/workflows/${FILE}`, 'utf8').matchAll(/needs\.plan\.outputs\.(\w+)/g);
    expect([...new Set([...used].map(([, name]) => name))].sort()).toEqual(answers.sort());
  });

  test('has no shell of its own: a step runs one command of the repository, or a tool', () => {
    const runs = Object.values(readWorkflow(FILE).jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    expect(runs.filter((run) => /[\n|;$]|\{\{/.test(run.replace('"$IMAGE"', '')))).toEqual([]);
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

describe('the client', () => {
  test('is published as it was packed and tested', () => {
    const { runs, steps, uses } = jobOf(FILE, 'check');
    const packs = runs.indexOf('mkdir packed && npm run pack:client -- --pack-destination packed');
    expect(packs).toBeGreaterThan(runs.indexOf('.ci/run'));
    expect(runs[packs + 1]).toBe('npx vitest run --project thorough test/client/package/package.thorough.test.ts');
    expect(steps.find(({ run }) => run === runs[packs + 1])?.env).toEqual({ CLIENT_TARBALLS: 'packed' });
    expect(uses('actions/upload-artifact')?.with).toMatchObject({ name: 'client', path: 'packed' });
    const publishing = jobOf(FILE, 'client');
    expect(publishing.if).toBe("needs.plan.outputs.client == 'true'");
    expect(publishing.uses('actions/download-artifact')?.with).toEqual({ name: 'client', path: 'packed' });
    expect(publishing.runs).toEqual(['npm publish ./packed/*.tgz --access public']);
  });

  test('needs an approval, and a trusted publisher in place of a token', () => {
    const { permissions, environment, steps } = jobOf(FILE, 'client');
    expect(environment).toBe('npm');
    expect(permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    expect(JSON.stringify(steps)).not.toContain('secrets.');
  });
});
