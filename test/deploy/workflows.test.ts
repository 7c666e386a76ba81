/**
 * The workflows of .github: what runs for each change, and what a release publishes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const FOLDER = '.github/workflows';

const Step = z.strictObject({
  name: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  env: z.record(z.string(), z.string()).default({}),
});
const Permissions = z.record(z.string(), z.enum(['read', 'write']));
const Workflow = z.looseObject({
  name: z.string(),
  on: z.looseObject({}),
  permissions: Permissions,
  jobs: z.record(
    z.string(),
    z.looseObject({
      needs: z.string().optional(),
      'timeout-minutes': z.number(),
      permissions: Permissions.optional(),
      strategy: z.unknown().optional(),
      services: z.record(z.string(), z.looseObject({ image: z.string() })).default({}),
      steps: z.array(Step),
    }),
  ),
});
const read = (file: string) => Workflow.parse(parse(readFileSync(join(FOLDER, file), 'utf8')));
const workflows = readdirSync(FOLDER).map((file) => ({ file, ...read(file) }));

const Scripts = z.object({ scripts: z.record(z.string(), z.string()) });
const { scripts } = Scripts.parse(JSON.parse(readFileSync('package.json', 'utf8')));

/** Returns the job with this name. */
function jobOf(file: string, name: string) {
  const job = read(file).jobs[name];
  if (job === undefined) throw new Error(`${file} has no job ${name}`);
  const runs = job.steps.flatMap(({ run }) => run ?? []);
  const uses = (action: string) => job.steps.find((step) => step.uses?.startsWith(`${action}@`));
  return { ...job, runs, uses };
}

describe.each(workflows)('$file', ({ file, permissions, jobs }) => {
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test('may only read, unless a job asks for more', () => {
    expect(permissions).toEqual({ contents: 'read' });
  });

  test('pins each action by a commit, and names its version', () => {
    for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    const lines = readFileSync(join(FOLDER, file), 'utf8').match(/uses: .*/g) ?? [];
    for (const line of lines) expect(line).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('pins each image by its digest', () => {
    const images = Object.values(jobs).flatMap(({ services }) => Object.values(services).map(({ image }) => image));
    for (const image of images) expect(image).toMatch(/:[^@]+@sha256:[0-9a-f]{64}$/);
  });

  test('runs only scripts that exist', () => {
    const names = steps.flatMap(({ run = '' }) => [...run.matchAll(/npm run (?:--silent )?([\w:-]+)/g)]);
    expect(names.map(([, name = '']) => name).filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

test('Dependabot updates what is pinned', () => {
  const Updates = z.object({ updates: z.array(z.looseObject({ 'package-ecosystem': z.string() })) });
  const { updates } = Updates.parse(parse(readFileSync('.github/dependabot.yml', 'utf8')));
  const kinds = updates.map((update) => update['package-ecosystem']);
  expect(kinds).toEqual(['github-actions', 'docker', 'docker-compose']);
});

describe('each change', () => {
  test('passes .ci/run on the oldest Node and on that of the image', () => {
    expect(read('ci.yml').on).toMatchObject({ pull_request: null, push: { branches: ['main'] } });
    const { runs, strategy } = jobOf('ci.yml', 'check');
    expect(runs).toContain('.ci/run');
    const [, oldest] = /"node": ">=([\d.]+)"/.exec(readFileSync('package.json', 'utf8')) ?? [];
    const [, image] = /node:(\d+)-/.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
    expect(strategy).toMatchObject({ matrix: { node: [oldest, image] } });
  });

  test('is audited, and runs beside the newest release', () => {
    expect(jobOf('ci.yml', 'audit').runs).toEqual(['npm audit --audit-level=high']);
    const upgrade = jobOf('ci.yml', 'upgrade');
    expect(upgrade.runs).toContain('npm run upgrade-test');
    expect(upgrade.uses('actions/checkout')?.with).toEqual({ 'fetch-depth': 0 });
  });
});

describe('a tag v*', () => {
  test('publishes nothing before it has passed all that a change must pass', () => {
    const { on, jobs } = read('release.yml');
    expect(on).toEqual({ push: { tags: ['v*'] } });
    expect(Object.keys(jobs)).toEqual(['check', 'image', 'client']);
    for (const name of ['image', 'client']) expect(jobs[name]?.needs).toBe('check');
    expect(jobOf('release.yml', 'check').runs).toContain('.ci/run');
  });

  test('is the version of both package.json files', () => {
    const [compare = ''] = jobOf('release.yml', 'check').runs;
    for (const manifest of ['./package.json', './packages/client/package.json']) expect(compare).toContain(manifest);
    expect(compare).toContain('test "$GITHUB_REF_NAME" = "v$(node -p');
  });

  test('publishes both images for two architectures, with SBOM, provenance, version and commit', () => {
    const { permissions, strategy, uses } = jobOf('release.yml', 'image');
    expect(permissions).toEqual({ contents: 'read', packages: 'write' });
    expect(strategy).toEqual({
      matrix: {
        include: [
          { target: '', suffix: '' },
          { target: 'standalone', suffix: '-standalone' },
        ],
      },
    });
    expect(uses('docker/build-push-action')?.with).toMatchObject({
      platforms: 'linux/amd64,linux/arm64',
      push: true,
      sbom: true,
      provenance: 'mode=max',
      labels: expect.stringMatching(/^org\.opencontainers\.image\.source=.*server_url .*\/.* github\.repository /),
      'build-args': expect.stringMatching(/^VERSION=.* env\.VERSION .*\nCOMMIT=.* github\.sha .*\n$/),
    });
  });

  test('builds images that know their version and commit', () => {
    const dockerfile = readFileSync('Dockerfile', 'utf8');
    const [, stage = ''] = /^FROM base AS build$(.*?)^FROM /ms.exec(dockerfile) ?? [];
    expect(stage).toMatch(/^ARG VERSION\nARG COMMIT\nRUN npm run build:service$/m);
    const [, service = ''] = /^FROM \S+ AS service$(.*?)^FROM /ms.exec(dockerfile) ?? [];
    for (const [label, arg] of Object.entries({ version: 'VERSION', revision: 'COMMIT' })) {
      expect(service).toMatch(new RegExp(`^ARG ${arg}$.*org\\.opencontainers\\.image\\.${label}=\\$${arg}\\b`, 'ms'));
    }
    expect(dockerfile).toMatch(/^FROM service AS standalone$/m);
  });

  test('publishes the client on npm, built, as a trusted publisher: without a token', () => {
    const { permissions, runs, steps } = jobOf('release.yml', 'client');
    expect(JSON.stringify(steps)).not.toContain('secrets.');
    expect(permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    const publish = 'npm publish --workspace @holdfast/client --access public';
    expect(runs.indexOf('npm run build:client')).toBeLessThan(runs.indexOf(publish));
    expect(runs).toContain('npm run build:client');
  });
});
