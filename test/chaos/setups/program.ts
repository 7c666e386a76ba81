/** Builds of the service that a campaign runs: the source, what `npm run build` made, and another commit. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Program } from '../system.ts';
import { startCleanup } from './cleanup.ts';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The source as it is. It starts more slowly than a build. */
export const SOURCE: Program = { name: 'source', command: ['--import', 'tsx', join(ROOT, 'src', 'main.ts')] };

/**
 * Returns what `npm run build:service` has made.
 * @throws Error if it has not made anything
 */
export function builtProgram(folder = ROOT, name = 'build'): Program {
  const main = join(folder, 'dist', 'main.js');
  if (!existsSync(main)) throw new Error(`${main} does not exist: run npm run build:service`);
  return { name, command: [main] };
}

/**
 * Builds another commit, in a temporary folder that is deleted when this process has ended.
 * @param commit anything that git takes for one
 * @throws Error if there is no such commit, or if it cannot be built
 */
export function programOf(commit: string): Program {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-build-'));
  startCleanup(folder);
  // Files only: a worktree would be left in the repository if this process were killed.
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  execFileSync('npm', ['run', '--silent', 'build:service'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  return builtProgram(folder, commit);
}
