/**
 * The lock file says what each package is, by a hash of its content: `npm ci` installs nothing else under the same name
 * and version.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      integrity: z.string().optional(),
      link: z.boolean().optional(),
      optional: z.boolean().optional(),
      os: z.array(z.string()).optional(),
    }),
  ),
});

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
  const { packages } = Lock.parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));
  const isOurs = (path: string, link?: boolean) => !path.startsWith('node_modules/') || link === true;
  const installed = Object.entries(packages).filter(([path, { link }]) => !isOurs(path, link));
  const without = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
  expect(without.map(([path]) => path.replace(/^.*node_modules\//, '')).sort()).toEqual(WITHOUT_HASH);
  expect(without.filter(([, { optional, os }]) => !optional || os === undefined)).toEqual([]);
});
