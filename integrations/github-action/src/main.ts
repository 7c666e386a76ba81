/**
 * The step of GitHub Actions (README.md): the runner starts this file as the step, and after the job as its post step.
 * The step starts it as the process that renews.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runHolding } from '../../../packages/client/src/cli/commands/run.ts';
import type { Interrupts } from '../../../packages/client/src/cli/interrupts.ts';
import { say } from '../../../packages/client/src/cli/output.ts';
import { runProgram } from '../../../packages/client/src/cli/program.ts';
import { hold } from './hold.ts';
import { argumentsOf, inputOf, setVariables } from './inputs.ts';
import { post } from './post.ts';
import { renew } from './renew.ts';
import { fail, set, setOutputs } from './runner.ts';

async function main(interrupts: Interrupts): Promise<number> {
  const { signal } = interrupts;
  // The runner gives it to actions, and to no lines of a workflow: it writes artifacts and caches of the run.
  delete process.env.ACTIONS_RUNTIME_TOKEN;
  setVariables();
  if (process.env.STATE_started) return post(signal);
  set('GITHUB_STATE', 'started', 'true');
  const script = inputOf('run');
  if (script === '') return hold({ args: argumentsOf([]), interrupts, signal });
  const file = join(process.env.RUNNER_TEMP ?? tmpdir(), `holdfast-${randomUUID()}.sh`);
  // Only for this user: the workflow may have put secrets into the lines.
  writeFileSync(file, `${script}\n`, { mode: 0o600 });
  const args = argumentsOf(['bash', '-e', file]);
  const code = await runHolding({ args, interrupts, signal }, { toTree: true, onHeld: setOutputs });
  if (code !== 0) fail(`run ended with exit code ${code}`);
  return code;
}

if (process.argv[2] === 'renew') await runProgram(({ signal }) => renew(signal), say);
else await runProgram(main, fail);
