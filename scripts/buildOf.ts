/** The version and the commit that a build of the service has. */
import { spawnSync } from 'node:child_process';
import { BUILD, type Build } from '../src/domain/build.ts';

/**
 * Without VERSION, the build is none of a release; without COMMIT, it has the commit of the checkout.
 * @param folder of the repository
 */
export function buildOf({ VERSION, COMMIT }: NodeJS.ProcessEnv, folder: string): Build {
  return { version: VERSION || BUILD.version, commit: COMMIT || commitOfCheckout(folder) };
}

/** Returns the commit, with the suffix -dirty if files have changed since; null: this is no checkout. */
function commitOfCheckout(folder: string): string | null {
  const args = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
  const { status, stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}
