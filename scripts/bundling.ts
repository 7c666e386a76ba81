/**
 * Bundles programs with the packages that they use: a few large files load in a third of the time that hundreds
 * of modules take. What is imported dynamically is a chunk of its own, read at its first use.
 */
import { dirname } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';

/** Parts of packages that the service never uses, and what is bundled instead: an idle instance would keep them. */
const UNUSED = [
  // The messages of zod in 50 other languages.
  { filter: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/, contents: "export { default as en } from './en.js';" },
  // The queues of BullMQ in PostgreSQL.
  { filter: /[/\\]bullmq[/\\]dist[/\\]cjs[/\\]postgres[/\\]index\.js$/, contents: '' },
];

const LEAVE_OUT: Plugin = {
  name: 'leaveOut',
  setup: ({ onLoad }) => {
    for (const { filter, contents } of UNUSED)
      onLoad({ filter }, ({ path }) => ({ contents, resolveDir: dirname(path) }));
  },
};

export const BUNDLED = {
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  plugins: [LEAVE_OUT],
  // Packages that read files of their own folder.
  external: ['@electric-sql/pglite', 'swagger-ui-dist'],
  // For CommonJS packages in the bundle, which require Node's own modules.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  logLevel: 'warning',
} satisfies BuildOptions;

/** The command line: one file, with all that it uses, as packages/client/build.mjs builds it. */
export const COMMAND_LINE = {
  entryPoints: { holdfast: 'packages/client/src/cli/main.ts' },
  bundle: true,
  platform: 'neutral',
  format: 'esm',
  target: 'es2022',
  external: ['node:*'],
  banner: { js: '#!/usr/bin/env node' },
  // The image has no configuration of TypeScript for it.
  tsconfigRaw: {},
  logLevel: 'warning',
} satisfies BuildOptions;
