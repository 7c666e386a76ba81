/**
 * `npm run upgrade-test`: a loaded service goes over from this build to the newest release and back, instance by
 * instance, again and again. Checks all answers as `npm run chaos` does, to which further options are passed.
 */
import { spawnSync } from 'node:child_process';
import { ROOT } from './setups/service.ts';

/** Returns the newest release before this commit; null: there is none */
function newestRelease(): string | null {
  const args = ['describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^'];
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

const release = newestRelease();
if (release === null) {
  console.log('skipped: there is no release (no tag v*) before this commit');
} else {
  console.log(`This build beside ${release}`);
  const setups = ['database', 'cluster'].flatMap((name) => ['--setup', name]);
  const options = ['--other', release, '--fault', 'rolling-update', '--minutes', '2', ...setups];
  const args = ['--import', 'tsx', 'test/chaos/main.ts', ...options, ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
}
