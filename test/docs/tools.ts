/** Programs that the examples call besides the service's own: found, or installed with the system's package manager. */
import { dirname } from 'node:path';
import { findOrInstall, type Wanted } from '../../scripts/serverProgram.ts';

const toolOf = (name: string, version: RegExp): Wanted => ({
  title: name,
  names: [name],
  folders: ['usr/bin'],
  version,
  oldestMajor: 0,
  packages: { apt: name, apk: name, dnf: name, brew: name },
  cache: name,
  byHand: `install ${name}`,
});

const TOOLS = [toolOf('curl', /curl (\d+)/), toolOf('jq', /jq-(\d+)/)];

/** @returns the variables that a shell needs to find them */
export function toolsEnv(): { PATH: string; LD_LIBRARY_PATH?: string } {
  const found = TOOLS.map((tool) => findOrInstall(tool, (line) => process.stdout.write(`${line}\n`)));
  const libraries = found.flatMap(({ env }) => env.LD_LIBRARY_PATH ?? []);
  return {
    PATH: found.map(({ path }) => dirname(path)).join(':'),
    ...(libraries.length === 0 ? {} : { LD_LIBRARY_PATH: libraries.join(':') }),
  };
}
