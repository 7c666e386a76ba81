/** Hides a JWT or a token in the log of a job, should anything print it. */
import type { Environment } from '../environment.ts';
import { builtin } from './runtime.ts';

const TIMEOUT_MS = 5000;

/** Never fails: nothing here prints a secret anyway. */
export function mask(env: Environment, secret: string): void {
  try {
    // GitHub reads commands on stderr, too. stdout belongs to the results.
    if (env.GITHUB_ACTIONS === 'true') builtin('node:fs').writeSync(2, `::add-mask::${secret}\n`);
    else if (env.BUILDKITE === 'true') redact(secret);
  } catch {
    // stderr is closed.
  }
}

/** By stdin: other users see arguments in the list of processes. */
function redact(secret: string): void {
  const options = { timeout: TIMEOUT_MS, encoding: 'utf8' } as const;
  const { stdin } = builtin('node:child_process').execFile('buildkite-agent', ['redactor', 'add'], options, () => {});
  stdin?.on('error', () => {});
  stdin?.end(secret);
}
