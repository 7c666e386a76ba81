/**
 * The workflows of .github: what they pin, and what runs for each change.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { PYTHON } from '../support/languages.ts';
import { FOLDER, jobOf, readWorkflow, workflows } from '../support/workflows.ts';

const Scripts = z.object({ scripts: z.record(z.string(), z.string()) });
const { scripts } = Scripts.parse(JSON.parse(readFileSync('package.json', 'utf8')));

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
  expect(kinds).toEqual(['github-actions', 'docker', 'docker-compose', 'pip', 'gomod']);
});

describe('each change', () => {
  test('passes .ci/run on the oldest Node and on that of the image', () => {
    expect(readWorkflow('ci.yml').on).toMatchObject({ pull_request: null, push: { branches: ['main'] } });
    const { runs, strategy } = jobOf('ci.yml', 'check');
    expect(runs).toContain('.ci/run');
    const [, oldest] = /"node": ">=([\d.]+)"/.exec(readFileSync('package.json', 'utf8')) ?? [];
    const [, image] = /node:(\d+)-/.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
    expect(strategy).toMatchObject({ matrix: { node: [oldest, image] } });
  });

  test.each(['ci.yml', 'release.yml'])('%s installs what the tests of the client for Python need', (file) => {
    const install = jobOf(file, 'check').runs.find((run) => run.includes('apt-get install')) ?? '';
    expect(install.split(/\s+/)).toEqual(expect.arrayContaining(PYTHON.packages.apt.split(' ')));
  });

  test('is audited, and runs beside the newest release', () => {
    expect(jobOf('ci.yml', 'audit').runs).toEqual(['npm audit --audit-level=high']);
    const upgrade = jobOf('ci.yml', 'upgrade');
    expect(upgrade.runs).toContain('npm run upgrade-test');
    expect(upgrade.uses('actions/checkout')?.with).toEqual({ 'fetch-depth': 0 });
  });
});
