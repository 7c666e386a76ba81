/**
 * Builds of the service, from checkouts of this repository.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export interface Build {
  /** The name in tables. */
  readonly name: string;
  /** Runs the service. */
  readonly main: string;
  remove(): void;
}

/**
 * Builds a checkout.
 * @param checkout a folder with its packages installed; or a commit, which is built with this checkout's packages
 */
export function buildOf(checkout: string): Build {
  if (existsSync(checkout)) return { name: checkout, main: buildIn(resolve(checkout)), remove: () => {} };
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-build-'));
  execFileSync(
    'sh',
    ['-ec', 'git archive "$0" -o "$1/archive.tar"; tar -xf "$1/archive.tar" -C "$1"', checkout, folder],
    {
      cwd: ROOT,
    },
  );
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return { name: checkout, main: buildIn(folder), remove: () => rmSync(folder, { recursive: true }) };
}

function buildIn(folder: string): string {
  execFileSync('npm', ['run', '--silent', 'build:service'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  return join(folder, 'dist/main.js');
}
