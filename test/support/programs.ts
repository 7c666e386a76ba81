/**
 * Programs that tests run as processes of their own: the service, and some that die or lose connections. They are built
 * once for all test files, as the service is built for a release: it starts with a third of the CPU that modules take.
 */
import { cp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { TestProject } from 'vitest/node';
import { BUNDLED } from '../../scripts/bundling.ts';

const SOURCES = {
  service: 'src/main.ts',
  start: 'scripts/start.ts',
  standalone: 'scripts/standalone.ts',
  migrate: 'scripts/migrate.ts',
  conform: 'test/clients/conform.ts',
  dying: 'test/support/dying.ts',
  plainDriver: 'test/support/plainDriver.ts',
};

declare module 'vitest' {
  interface ProvidedContext {
    /** The file of each program. */
    programs: Record<keyof typeof SOURCES, string>;
  }
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Two folders below the root, as src/redis and src/store are: the service finds lua/ and drizzle/ from there.
  const folder = `${ROOT}dist/tests-${process.pid}`;
  const buildAll = () =>
    build({
      ...BUNDLED,
      absWorkingDir: ROOT,
      entryPoints: SOURCES,
      outdir: folder,
      outExtension: { '.js': '.mjs' },
    });
  await buildAll();
  await cp(`${ROOT}src/dashboard/assets`, `${folder}/assets`, { recursive: true });
  project.onTestsRerun(async () => void (await buildAll()));
  const fileOf = (name: keyof typeof SOURCES) => `${folder}/${name}.mjs`;
  project.provide('programs', {
    service: fileOf('service'),
    start: fileOf('start'),
    standalone: fileOf('standalone'),
    migrate: fileOf('migrate'),
    conform: fileOf('conform'),
    dying: fileOf('dying'),
    plainDriver: fileOf('plainDriver'),
  });
  return () => rm(folder, { recursive: true, force: true });
}
