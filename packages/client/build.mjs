/**
 * Builds the package into dist: the library for servers and browsers, its fake for tests, their types, and the command
 * line with the library that it uses. So the package has no dependencies.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
process.chdir(import.meta.dirname);
rmSync('dist', { recursive: true, force: true });

const options = {
  absWorkingDir: import.meta.dirname,
  bundle: true,
  format: 'esm',
  // Takes the browser's form of each module, which is ESM.
  platform: 'neutral',
  target: 'es2022',
  logLevel: 'warning',
};
await Promise.all([
  build({
    ...options,
    entryPoints: { index: 'src/index.ts', ci: 'src/ci/index.ts', testing: 'src/testing/index.ts' },
    outdir: 'dist',
    // The fake throws the same HoldfastError.
    splitting: true,
    chunkNames: 'shared-[hash]',
  }),
  build({
    ...options,
    entryPoints: ['src/cli/main.ts'],
    outfile: 'dist/holdfast.js',
    external: ['node:*'],
    banner: { js: '#!/usr/bin/env node' },
  }),
]);
chmodSync('dist/holdfast.js', 0o755);

const { status } = spawnSync(process.execPath, [`${root}/node_modules/typescript/bin/tsc`], { stdio: 'inherit' });
if (status !== 0) process.exit(1);

cpSync(`${root}/LICENSE`, 'LICENSE');
cpSync(`${root}/node_modules/yaml/LICENSE`, 'dist/LICENSE.yaml');
