/**
 * The step of Jenkins (docs/specification.md#steps-of-ci-systems), run by Groovy with steps that stand for those of
 * Jenkins (test/support/jenkins.groovy). Needs the program groovy.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf } from '../docs/blocks.ts';
import { type Running, start } from '../support/commandLine.ts';
import { type Instance, startInstance } from '../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-jenkins-'));
let service: Instance;
beforeAll(async () => {
  service = await startInstance();
  writeFileSync(join(folder, 'release.sh'), '#!/bin/sh\necho "releasing $HOLDFAST_SLOTS"\n', { mode: 0o755 });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service.stop();
});

const run = (pipeline: string): Promise<Running> =>
  start(['groovy', 'test/support/jenkins.groovy', 'integrations/jenkins/vars/holdfast.groovy', folder], {
    env: { HOLDFAST_URL: service.url, HOLDFAST_KEY: service.key, BUILD_URL: 'https://jenkins.example/1' },
    stdin: pipeline,
  });

describe.skipIf(spawnSync('groovy', ['--version']).status !== 0)('the step of Jenkins', () => {
  test('holds the resource while the block of README.md runs, and releases it', async () => {
    const [block] = blocksOf(readFileSync('integrations/jenkins/README.md', 'utf8'));
    // docs/examples/Jenkinsfile is the same.
    expect(readFileSync('docs/examples/Jenkinsfile', 'utf8').replace(/^\/\/.*\n/gm, '')).toBe(block?.content);
    const [step = ''] = /^ +holdfast\(.*?^ {8}\}$/ms.exec(block?.content ?? '') ?? [];
    const { code, stdout } = await (await run(step)).ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'releasing staging\n' });
    expect((await service.active()).body).toEqual([]);
  });

  test('fails and says who has it, and the block does not run; no option is text of a shell', async () => {
    await service.reserve({ resource: 'a b; $(touch pwned)', requester: 'ann', ttlSeconds: 60 });
    const ended = await (await run(`holdfast(resource: 'a b; $(touch pwned)', note: '"; touch pwned') { echo 'ran' }`))
      .ended;
    expect(ended).toMatchObject({ code: 1, stdout: 'FAILED script returned exit code 75\n' });
    expect(ended.stderr).toContain('a b; $(touch pwned) is held by ann');
    expect(() => readFileSync(join(folder, 'pwned'))).toThrow();
  });

  test('ends the block if the lease is lost', async () => {
    const running = await run(`holdfast(resource: 'lost', ttl: '6s') { sh 'echo begun; exec sleep 300' }`);
    await running.prints('begun\n');
    await service.reset();
    expect(await running.ended).toMatchObject({ code: 1, stdout: 'begun\nFAILED script returned exit code 76\n' });
  });
});
