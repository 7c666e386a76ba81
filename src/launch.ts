/**
 * Starts an instance as the environment configures it, or answers an option of the command line instead. The options
 * load neither the service nor its clients.
 */
import type { ServeOptions } from './serve.ts';

/**
 * @param args of the command line, at most one option
 * @param env the variables
 * @param options of the instance
 * Ends the process with code 1 if it cannot work, after one line about why.
 */
export async function launch(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  options: ServeOptions,
): Promise<void> {
  try {
    const [option, ...others] = args;
    if (option !== undefined) return await answer(others.length === 0 ? option : args.join(' '), env);
    const [{ readConfig }, { run }] = await Promise.all([import('./config/config.ts'), import('./serve.ts')]);
    await run(readConfig(env), options);
  } catch (error) {
    fail(error);
  }
}

/** Ends the process with code 1, after one line about why. */
export function fail(error: unknown): never {
  // Without a stack: the operator has to change the configuration, not the code.
  process.stderr.write(`holdfast: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

/** @throws Error with a message for the operator */
async function answer(option: string, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  if (option === '--help') process.stdout.write((await import('./config/help.ts')).HELP);
  else if (option === '--version') process.stdout.write(`${(await import('./domain/build.ts')).BUILD.version}\n`);
  else if (option === '--check-config') await check(env);
  else throw new Error(`there is no option ${option}. The options are --help, --version and --check-config`);
}

async function check(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const [{ ConfigError, readConfig }, { reportOf }] = await Promise.all([
    import('./config/config.ts'),
    import('./config/report.ts'),
  ]);
  try {
    process.stdout.write(reportOf(readConfig(env)));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(error.faults.map((fault) => `${fault}\n`).join(''));
    process.exitCode = 1;
  }
}
