/**
 * Builds the package into dist: the library as one file for servers and browsers, its types, and the command line. What
 * they use is bundled, so the package has no dependencies.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

const BUNDLED = ['eventsource-parser', 'yaml'];

process.chdir(import.meta.dirname);
rmSync('dist', { recursive: true, force: true });

/** `neutral` takes the browser's form of each module, which is ESM. */
const options = { bundle: true, format: 'esm', platform: 'neutral', target: 'es2022', logLevel: 'warning' };
await Promise.all([
  build({ ...options, entryPoints: ['src/index.ts'], outfile: 'dist/index.js' }),
  build({
    ...options,
    entryPoints: ['src/cli/main.ts'],
    outfile: 'dist/holdfast.js',
    external: ['node:*'],
    banner: { js: '#!/usr/bin/env node' },
  }),
]);
chmodSync('dist/holdfast.js', 0o755);

const require = createRequire(import.meta.url);
const tsc = spawnSync(process.execPath, [require.resolve('typescript/bin/tsc')], { stdio: 'inherit' });
if (tsc.status !== 0) process.exit(1);

const licenceOf = (name) => {
  // The entry point lies somewhere in the package: node_modules/<name>/dist/index.cjs.
  const [folder] = /^.*node_modules.[^/\\]+/.exec(dirname(require.resolve(name)));
  return `${name}\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8')}`;
};
writeFileSync('dist/THIRD_PARTY_LICENSES', BUNDLED.map(licenceOf).join('\n---\n\n'));
cpSync('../../LICENSE', 'LICENSE');
