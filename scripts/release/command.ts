/** Runs programs of others for a release. */
import { spawnSync } from 'node:child_process';

/**
 * Runs a program to its end.
 * @param options.cwd its folder
 * @param options.env added to the environment of this process
 * @returns what it printed on stdout
 * @throws Error with what it printed on stderr, if it fails
 */
export function command(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): string {
  const place = cwd === undefined ? {} : { cwd };
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...place,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr}${stdout}`);
  return stdout;
}
