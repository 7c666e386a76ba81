/**
 * `npm run pack:python -- <folder>`: builds the wheel of the Python client into a folder. It is built from a copy: a
 * build in place would leave modules behind that a later wheel would have, too.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { command } from './command.ts';

const PACKAGE = 'packages/python';

const [folder = '.'] = process.argv.slice(2);
const copy = mkdtempSync(join(tmpdir(), 'holdfast-python-'));
try {
  const isSource = (path: string) => !/(^|\/)(build|[\w.]+\.egg-info|__pycache__)$/.test(path.slice(PACKAGE.length));
  cpSync(PACKAGE, copy, { recursive: true, filter: isSource });
  cpSync('LICENSE', join(copy, 'LICENSE'));
  command('python3', ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', resolve(folder), copy]);
} finally {
  rmSync(copy, { recursive: true });
}
