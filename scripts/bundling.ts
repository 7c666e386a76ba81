/**
 * Bundles programs with the packages that they use: a few large files load in a third of the time that hundreds
 * of modules take. What is imported dynamically is a chunk of its own, read at its first use.
 */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';

/** Parts of packages that the service never uses, and what is bundled instead: an idle instance would keep them. */
const UNUSED = [
  // The messages of zod in 50 other languages.
  { filter: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/, contents: "export { default as en } from './en.js';" },
  // The queues of BullMQ in PostgreSQL, its other clients of Redis, its relay, and the times of cron, with luxon.
  { filter: /[/\\]bullmq[/\\]dist[/\\]cjs[/\\]postgres[/\\]index\.js$/, contents: '' },
  {
    filter: /[/\\]bullmq[/\\]dist[/\\]cjs[/\\]classes[/\\](valkey-glide|bun-redis|node-redis)-client\.js$/,
    contents: '',
  },
  { filter: /[/\\]bullmq[/\\]dist[/\\]cjs[/\\](classes|scripts)[/\\](redis-)?relay[^/\\]*\.js$/, contents: '' },
  { filter: /[/\\]cron-parser[/\\]dist[/\\]index\.js$/, contents: '' },
  // A subclass of String in ioredis. Once there is one, V8 inlines charCodeAt() nowhere: it takes four times as long.
  {
    filter: /[/\\]ioredis[/\\]built[/\\]resp[/\\]verbatim-string\.js$/,
    contents: 'exports.VerbatimString = class {};',
  },
];

const LEAVE_OUT: Plugin = {
  name: 'leaveOut',
  setup: ({ onLoad }) => {
    for (const { filter, contents } of UNUSED)
      onLoad({ filter }, ({ path }) => ({ contents, resolveDir: dirname(path) }));
  },
};

/** The reader of Redis's replies in ioredis. */
const DECODER = /[/\\]ioredis[/\\]built[/\\]resp[/\\]decoder\.js$/;

/** Its recipient of replies, pushes and messages. */
const HANDLER = /[/\\]ioredis[/\\]built[/\\]DataHandler\.js$/;

const FAST_REPLIES: Plugin = {
  name: 'fastReplies',
  setup: ({ onLoad }) => {
    onLoad({ filter: DECODER }, async ({ path }) => ({ contents: withProperties(await readFile(path, 'utf8')) }));
    onLoad({ filter: HANDLER }, async ({ path }) => ({ contents: emittingAtOnce(await readFile(path, 'utf8')) }));
  },
};

/**
 * Makes plain properties of private fields that were compiled for old engines: there, each access calls a function that
 * looks into a WeakMap. Without that, ioredis reads replies in a third of the time.
 * @throws Error if some are left
 */
function withProperties(module: string): string {
  const text = module
    .replace(/__classPrivateFieldGet\(this, \w+, "m", (\w+)\)/g, '$1')
    .replace(/__classPrivateFieldGet\(this, (\w+), "f"\)/g, 'this.$1')
    .replace(/__classPrivateFieldSet\(this, (\w+), /g, '(this.$1 = ')
    .replace(/, "f"\)/g, ')')
    .replace(/(\w+)\.set\(this, (.+)\);/g, 'this.$1 = $2;');
  if (text === module || /PrivateField[GS]et\(this/.test(text)) throw new Error('ioredis has another decoder now');
  return text;
}

const PUSH = 'returnPush(reply) {';
/** No other push has eight bytes that begin with sm. */
const EMIT = `
  const [kind, channel, message] = reply;
  if (kind.length === 8 && kind[0] === 0x73 && kind[1] === 0x6d && this.redis.listenerCount('smessage') === 0) {
    this.redis.emit('smessageBuffer', channel, message);
    return;
  }`;

/**
 * Emits the messages of sharded channels at once, if nobody listens for their text. ioredis decodes what kind of push
 * they are twice, which takes a sixth of the CPU of an event that goes to one stream.
 * @throws Error if it receives them elsewhere
 */
function emittingAtOnce(module: string): string {
  const text = module.replace(PUSH, `${PUSH}${EMIT}`);
  if (text === module) throw new Error('ioredis receives messages elsewhere now');
  return text;
}

export const BUNDLED = {
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  plugins: [LEAVE_OUT, FAST_REPLIES],
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
