/**
 * The package as users get it: its size, and the tarball in an empty folder. A release tests the tarball that it
 * publishes: the one in the folder that CLIENT_TARBALLS names.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { clientTypes } from '../../../scripts/clientTypes.ts';
import { pythonTypes } from '../../../scripts/pythonTypes.ts';
import { DEFAULT_INSTANCE, openapiDocument } from '../../../src/http/openapi/openapi.ts';
import { type Instance, startInstance } from '../../support/service.ts';

const run = promisify(execFile);
const MAX_BYTES = 17 * 1024;

/** The README's examples use this client if they make none of their own. */
const CLIENT = `import { Holdfast } from '@holdfast/client';
declare const holdfast: Holdfast;
`;

/** A misspelt code does not compile. A code of a later service is text. */
const ERRORS = `import { type ErrorCode, Holdfast, HoldfastError, type Retry } from '@holdfast/client';
const onRetry = ({ attempt, delayMs, error }: Retry) => console.warn(attempt, delayMs, error.code);
const holdfast = Holdfast.fromEnv({ retryFor: '3s', onRetry });
const error: unknown = await holdfast.reserve('a').catch((reason: unknown) => reason);
if (error instanceof HoldfastError) {
  const known: ErrorCode = error.code;
  if (error.code === 'ALREADY_HELD' || error.code === 'LIMIT_REACHED') console.log(known);
  // @ts-expect-error
  if (error.code === 'ALREDY_HELD') console.log(known);
  if (String(error.code) === 'OF_A_LATER_SERVICE') console.log(known);
}
`;

/** Code under test takes the client, its fake, or an object with what it uses. */
const TESTS = `import { Holdfast, type Hold, type HoldfastClient } from '@holdfast/client';
import { fakeHoldfast } from '@holdfast/client/testing';
const holdfast: HoldfastClient = new Holdfast({ url: 'http://localhost', key: 'key' });
const fake: HoldfastClient = fakeHoldfast();
const isFree = async (client: Pick<HoldfastClient, 'available'>) => client.available('printer');
await isFree(holdfast);
await isFree(fake);
await isFree({ available: async () => true });
const work = async (hold: Pick<Hold, 'fencingToken' | 'signal'>) => hold.fencingToken;
await work({ fencingToken: 1, signal: new AbortController().signal });
await fake.using('printer', work);
`;

let service: Instance;
/** An empty project with the package in it. */
let folder: string;
let files: string[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-tarball-'));
  const { CLIENT_TARBALLS: packed = folder } = process.env;
  const packing =
    packed === folder && run('npm', ['run', '--silent', 'pack:client', '--', '--pack-destination', folder]);
  service = await startInstance();
  await packing;
  const [tarball = ''] = readdirSync(packed).filter((name) => name.endsWith('.tgz'));
  const { stdout } = await run('tar', ['-tzf', join(packed, tarball)]);
  files = stdout
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, ''));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', resolve(packed, tarball)], {
    cwd: folder,
  });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

it(`the library has at most ${MAX_BYTES} bytes, minified and compressed`, async () => {
  const entryPoints = [join(folder, 'node_modules/@holdfast/client/dist/index.js')];
  const bundled = await build({ entryPoints, bundle: true, minify: true, format: 'esm', write: false });
  expect(gzipSync(bundled.outputFiles[0]?.contents ?? '', { level: 9 }).length).toBeLessThanOrEqual(MAX_BYTES);
});

describe('the tarball', () => {
  it('has the library, its types, the command, the licences, and nothing else', () => {
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/LICENSE.yaml']));
    expect(files).toEqual(
      expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'dist/testing.js', 'dist/holdfast.js']),
    );
    expect(
      files.filter((path) => !/^(LICENSE|README\.md|package\.json|dist\/.*(\.js|\.d\.ts|\.yaml))$/.test(path)),
    ).toEqual([]);
  });

  it('installs without another package', () => {
    const lock = z
      .object({ packages: z.record(z.string(), z.unknown()) })
      .parse(JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')));
    expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/@holdfast/client']);
  });

  it('reserves and releases', async () => {
    writeFileSync(
      join(folder, 'work.mjs'),
      `import { Holdfast } from '@holdfast/client';
       const holdfast = new Holdfast({ url: '${service.url}', key: process.env.KEY });
       console.log(await holdfast.using('printer', async (hold) => [hold.resource, hold.fencingToken > 0]));
       console.log(await holdfast.active());`,
    );
    const { stdout } = await run(process.execPath, ['work.mjs'], { cwd: folder, env: { KEY: service.key } });
    expect(stdout).toBe("[ 'printer', true ]\n[]\n");
  });

  it('has a fake for tests, which throws the errors of the library', async () => {
    writeFileSync(
      join(folder, 'fake.mjs'),
      `import { HoldfastError } from '@holdfast/client';
       import { fakeHoldfast } from '@holdfast/client/testing';
       const fake = fakeHoldfast();
       fake.heldBy('printer', 'bob');
       console.log(await fake.reserve('printer').catch((error) => [error instanceof HoldfastError, error.code]));`,
    );
    const { stdout } = await run(process.execPath, ['fake.mjs'], { cwd: folder });
    expect(stdout).toBe("[ true, 'ALREADY_HELD' ]\n");
  });

  it('has a command', async () => {
    const { stdout } = await run('npx', ['--offline', 'holdfast', '--help'], { cwd: folder });
    expect(stdout).toContain('Usage: holdfast <command>');
  });

  it('has types that a strict project compiles with, for browsers and for Node', async () => {
    writeFileSync(
      join(folder, 'work.ts'),
      `import { Holdfast, type HoldfastEvent } from '@holdfast/client';
       const holdfast = new Holdfast({ url: 'http://localhost', key: async () => 'key' });
       export const token: number = await holdfast.using('a', { ttl: '30s' }, async (hold) => hold.fencingToken ?? 0);
       for await (const event of holdfast.events()) {
         if (event.type === 'CONNECTED' || event.type === 'DISCONNECTED') continue;
         const { resource }: HoldfastEvent = event;
         console.log(resource);
       }
       const mirror = await holdfast.mirror({ onChange: (resource: string) => console.log(resource) });
       const holder: string | undefined = mirror.get('a')[0]?.requester;
       console.log(holder);
       // @ts-expect-error
       await holdfast.reserve('a', { ttl: '30 seconds' });`,
    );
    writeFileSync(join(folder, 'errors.ts'), ERRORS);
    writeFileSync(join(folder, 'tests.ts'), TESTS);
    const options = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable', 'dom.asynciterable'],
      module: 'nodenext',
      types: [],
    };
    // The examples of the README, too, but for those that need functions of the reader's own.
    const documented = [...readFileSync('packages/client/README.md', 'utf8').matchAll(/^```ts\n(.*?)^```/gms)].map(
      ([, code = ''], i) => {
        writeFileSync(join(folder, `readme${i}.ts`), code.includes('import ') ? code : `${CLIENT}${code}`);
        return `readme${i}.ts`;
      },
    );
    expect(documented.length).toBeGreaterThan(3);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['work.ts', 'errors.ts', 'tests.ts', ...documented] }),
    );
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    const tsc = resolve('node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  });
});

/** The types of the clients are those of the service's own description. */
describe('generated types', () => {
  test.each([
    ['packages/client/src/generated.ts', clientTypes],
    ['packages/python/src/holdfast/_generated.py', pythonTypes],
  ])('%s is current: if not, run `npm run generate`', async (file, typesOf) => {
    expect(readFileSync(file, 'utf8')).toBe(await typesOf(openapiDocument(DEFAULT_INSTANCE)));
  });
});
