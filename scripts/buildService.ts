/**
 * Builds the service into dist: main.js, migrate.js, standalone.js, and the chunks that they load. For a release, the
 * variables VERSION and COMMIT are what GET /version and the dashboard show.
 */
import { cp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { BUNDLED } from './bundling.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Two folders below the root, as src/redis and src/store are: the service finds lua/ and drizzle/ from there. */
const CHUNKS = 'dist/chunks';

await rm(`${ROOT}${CHUNKS}`, { recursive: true, force: true });
const { VERSION, COMMIT } = process.env;
const release = VERSION && COMMIT ? { RELEASE: JSON.stringify({ version: VERSION, commit: COMMIT }) } : {};

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
  define: release,
});
await cp(`${ROOT}src/dashboard/assets`, `${ROOT}${CHUNKS}/assets`, { recursive: true });
