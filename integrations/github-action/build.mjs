/** Bundles the action into index.mjs, which is committed: runners take it from the repository as it is. */
import { build } from 'esbuild';

/** @param write false: returns the bundle as text instead */
export async function buildAction(write) {
  const { outputFiles } = await build({
    absWorkingDir: import.meta.dirname,
    entryPoints: ['src/main.ts'],
    outfile: 'index.mjs',
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    logLevel: 'warning',
    write,
  });
  return outputFiles?.[0]?.text ?? '';
}

if (process.argv[1] === import.meta.filename) await buildAction(true);
