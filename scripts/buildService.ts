/**
 * Builds the service into dist: main.js, migrate.js, standalone.js, and the chunks that they load; and the command line
 * for its image, holdfast.js. GET /version and the dashboard show the variables VERSION and COMMIT (buildOf.ts).
 */
import { chmod, cp, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildOf } from './buildOf.ts';
import { BUNDLED, COMMAND_LINE } from './bundling.ts';
import { minifyAssets } from './minifyAssets.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Two folders below the root, as src/redis and src/store are: the service finds lua/ and drizzle/ from there. */
const CHUNKS = 'dist/chunks';

await rm(`${ROOT}${CHUNKS}`, { recursive: true, force: true });
const built = buildOf(process.env, ROOT);

await build({
  ...BUNDLED,
  absWorkingDir: ROOT,
  entryPoints: { main: 'src/main.ts', migrate: 'src/migrate.ts', standalone: 'scripts/standalone.ts' },
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  sourcemap: true,
  // Node keeps the text of a module in memory, with two bytes for each character if a single one is not Latin.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'external',
  define: { BUILT: JSON.stringify(built) },
});
await build({ ...COMMAND_LINE, absWorkingDir: ROOT, outdir: 'dist' });
await chmod(`${ROOT}dist/holdfast.js`, 0o755);
await cp(`${ROOT}node_modules/yaml/LICENSE`, `${ROOT}dist/LICENSE.yaml`);
await cp(`${ROOT}src/dashboard/assets`, `${ROOT}${CHUNKS}/assets`, { recursive: true });
const { outputFiles } = await minifyAssets(`${ROOT}${CHUNKS}/assets`);
await Promise.all(outputFiles.map(({ path, contents }) => writeFile(path, contents)));
