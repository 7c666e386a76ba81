/**
 * Minifies the scripts and style sheets of the dashboard.
 */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, type BuildResult, build } from 'esbuild';

const ASSETS = fileURLToPath(new URL('../src/dashboard/assets/', import.meta.url));

const OPTIONS = {
  absWorkingDir: ASSETS,
  entryPoints: readdirSync(ASSETS, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(?:js|css)$/.test(name)),
  minify: true,
  write: false,
} as const satisfies BuildOptions;

/**
 * @param outdir an absolute path, for the paths of the files
 * @returns the files as bytes, not written
 */
export const minifyAssets = (outdir: string): Promise<BuildResult<typeof OPTIONS>> => build({ ...OPTIONS, outdir });
