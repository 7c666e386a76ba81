/**
 * Packages of others: `npm ci` installs exactly those that were chosen, runs none of their scripts, their licences
 * allow to pass them on, and the bundle of the service leaves out what it never uses of them, and speeds one up.
 */
import { EventEmitter } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { type BuildOptions, build } from 'esbuild';
import { expect, inject, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import * as ioredis from '../node_modules/ioredis/built/resp/decoder.js';
import { BUNDLED } from '../scripts/bundling.ts';
import { thirdPartyPage } from '../scripts/thirdParty.ts';

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      integrity: z.string().optional(),
      link: z.boolean().optional(),
      optional: z.boolean().optional(),
      os: z.array(z.string()).optional(),
      optionalDependencies: z.record(z.string(), z.string()).default({}),
    }),
  ),
});
const { packages } = Lock.parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));

/**
 * Native code for platforms that the lock file was not made on, and that the registry it was made from does not have.
 * Take a name away once it has a hash: `npm view <package>@<version> dist.integrity`.
 */
const WITHOUT_HASH = [
  '@biomejs/cli-android-arm64',
  '@biomejs/cli-android-x64',
  '@biomejs/cli-darwin-arm64',
  '@biomejs/cli-darwin-x64',
  '@biomejs/cli-linux-arm64-musl',
  '@biomejs/cli-linux-x64-musl',
  '@biomejs/cli-win32-arm64',
  '@biomejs/cli-win32-x64',
  '@msgpackr-extract/msgpackr-extract-darwin-arm64',
  '@msgpackr-extract/msgpackr-extract-darwin-x64',
  '@msgpackr-extract/msgpackr-extract-linux-arm',
  '@msgpackr-extract/msgpackr-extract-win32-x64',
];

test('every package has a SHA-512 hash, but for native code of other platforms, which nothing needs', () => {
  const isOurs = (path: string, link?: boolean) => !path.startsWith('node_modules/') || link === true;
  const installed = Object.entries(packages).filter(([path, { link }]) => !isOurs(path, link));
  const without = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
  expect(without.map(([path]) => path.replace(/^.*node_modules\//, '')).sort()).toEqual(WITHOUT_HASH);
  expect(without.filter(([, { optional, os }]) => !optional || os === undefined)).toEqual([]);
});

/** Returns the folders in which Node looks for packages, from the inside out. */
const foldersFrom = (path: string): readonly string[] => {
  const outer = path.lastIndexOf('/node_modules/');
  const here = path === '' ? 'node_modules/' : `${path}/node_modules/`;
  if (path === '') return [here];
  return [here, ...foldersFrom(outer === -1 ? '' : path.slice(0, outer))];
};

test('the lock file has the optional packages of every platform', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !foldersFrom(path).some((folder) => `${folder}${name}` in packages),
    ),
  );
  expect(missing).toEqual([]);
  const platforms = Object.keys(packages).filter((path) => path.startsWith('node_modules/@esbuild/'));
  expect(platforms.length).toBeGreaterThan(20);
});

const Dependencies = z.record(z.string(), z.string()).default({});
const Manifest = z.object({
  dependencies: Dependencies,
  devDependencies: Dependencies,
  peerDependencies: Dependencies,
});

test.each(['package.json', 'packages/client/package.json'])('%s names one version of each package', (file) => {
  const manifest = Manifest.parse(JSON.parse(readFileSync(file, 'utf8')));
  const ranges = Object.values(manifest).flatMap((wanted) => Object.entries(wanted));
  expect(ranges.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});

test('no package runs scripts when it is installed', () => {
  expect(readFileSync('.npmrc', 'utf8').split('\n')).toContain('ignore-scripts=true');
});

test('THIRD_PARTY.md is current, and every licence in it is allowed; if not, run: npm run third-party', () => {
  expect(readFileSync('THIRD_PARTY.md', 'utf8') === thirdPartyPage()).toBe(true);
});

test('the bundle has the messages of zod in English alone, no PostgreSQL of BullMQ, and no cron', () => {
  const folder = dirname(inject('programs').service);
  const texts = readdirSync(folder)
    .filter((file) => file.endsWith('.mjs'))
    .map((file) => readFileSync(join(folder, file), 'utf8'));
  const parts = /^ *\/\/ node_modules\/(zod\/v4\/locales|bullmq\/dist\/cjs\/postgres|cron-parser|luxon)\/.*$/gm;
  const bundled = texts.flatMap((text) => text.match(parts) ?? []).map((line) => line.replace(/^.*node_modules\//, ''));
  expect(bundled.filter((name) => !name.endsWith('/index.js'))).toEqual(['zod/v4/locales/en.js']);
});

const REPLIES = [
  '+OK\r\n:12\r\n:-3\r\n_\r\n#t\r\n,1.5e-3\r\n,-inf\r\n(123456789012345678901\r\n$-1\r\n$0\r\n\r\n$5\r\na\r\n"f\r\n',
  '=7\r\ntxt:abc\r\n-ERR no\r\n!5\r\nE no2\r\n*3\r\n:1\r\n*2\r\n$1\r\nx\r\n+y\r\n*0\r\n*-1\r\n',
  '~2\r\n:1\r\n:2\r\n%2\r\n+a\r\n:1\r\n+b\r\n*1\r\n$2\r\nhi\r\n>3\r\n$8\r\nsmessage\r\n$2\r\nch\r\n$3\r\nabc\r\n:9\r\n',
].join('');

/** Returns what a decoder makes of replies that arrive in pieces. */
function decoded({ Decoder }: typeof ioredis, pieces: readonly Buffer[]): string {
  const read: unknown[] = [];
  const decoder = new Decoder({
    getTypeMapping: () => ({}),
    onReply: (reply) => read.push(['reply', reply]),
    onErrorReply: ({ message }) => read.push(['error', message]),
    onPush: (push) => read.push(['push', push]),
  });
  for (const piece of pieces) decoder.write(piece);
  return inspect(read, { depth: null });
}

/** Pushes of messages, as Redis sends them. */
const PUSHES = [
  ['smessage', 'ch', 'é'],
  ['message', 'ch', 'é'],
  ['pmessage', 'p*', 'p1', 'é'],
  ['smessage', 'other', ''],
]
  .map((parts) =>
    [`>${parts.length}`, ...parts.flatMap((part) => [`$${Buffer.byteLength(part)}`, part]), ''].join('\r\n'),
  )
  .join('');

type Recipient = new (redis: EventEmitter, options: object) => unknown;

/** Returns the events that a client emits for these pushes, if it has listeners for such events. */
function emitted(DataHandler: Recipient, events: readonly string[]): unknown[] {
  const all: unknown[] = [];
  const stream = Object.assign(new EventEmitter(), { resume: () => {} });
  const condition = { subscriber: {}, protocol: 3 };
  const redis = Object.assign(new EventEmitter(), { stream, condition, status: 'ready' });
  for (const event of events) redis.on(event, (...values) => all.push([event, ...values]));
  new DataHandler(redis, { stringNumbers: false, replyMapping: 'legacy' });
  stream.emit('data', Buffer.from(PUSHES));
  return all;
}

test('the bundle emits messages as ioredis does, to listeners for bytes, text or both', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-handler-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const built = async (name: string, options: BuildOptions): Promise<Recipient> => {
    const entryPoints = { [name]: 'node_modules/ioredis/built/DataHandler.js' };
    await build({ ...options, entryPoints, outdir: folder, outExtension: { '.js': '.mjs' } });
    const module: { default: { default: Recipient } } = await import(pathToFileURL(join(folder, `${name}.mjs`)).href);
    return module.default.default;
  };
  const [ours, theirs] = [await built('ours', BUNDLED), await built('theirs', { ...BUNDLED, plugins: [] })];
  for (const [count, ...events] of [
    [4, 'smessageBuffer', 'messageBuffer', 'pmessageBuffer'],
    [4, 'smessage', 'message', 'pmessage'],
    [6, 'smessage', 'smessageBuffer', 'messageBuffer', 'pmessage'],
  ] as const) {
    expect(emitted(theirs, events)).toHaveLength(count);
    expect(emitted(ours, events)).toEqual(emitted(theirs, events));
  }
});

test('the bundle reads the replies of Redis as ioredis does, wherever they are cut', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-decoder-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const entryPoints = { decoder: 'node_modules/ioredis/built/resp/decoder.js' };
  await build({ ...BUNDLED, entryPoints, outdir: folder, outExtension: { '.js': '.mjs' } });
  const file = join(folder, 'decoder.mjs');
  // It would slow down charCodeAt() in all code.
  expect(readFileSync(file, 'utf8')).not.toMatch(/extends String\b/);
  const bundled: { default: typeof ioredis } = await import(pathToFileURL(file).href);
  const bytes = Buffer.from(REPLIES);
  const expected = decoded(ioredis, [bytes]);
  expect(expected.match(/'(reply|error|push)'/g)).toHaveLength(20);
  for (let at = 0; at <= bytes.length; at++)
    expect(decoded(bundled.default, [bytes.subarray(0, at), bytes.subarray(at)])).toBe(expected);
  const single = [...bytes].map((byte) => Buffer.from([byte]));
  expect(decoded(bundled.default, single)).toBe(expected);
});
