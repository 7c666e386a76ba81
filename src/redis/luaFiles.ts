/**
 * Reads the files of lua/.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TierTable } from '../domain/tiers.ts';
import { limitsModule } from './tierLimits.ts';

export const LUA_FOLDER = fileURLToPath(new URL('../../lua/', import.meta.url));

/** Returns the texts of the files in a folder of lua/ by their names. */
export const textsIn = (folder: string): Map<string, string> =>
  new Map(
    readdirSync(join(LUA_FOLDER, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.lua'))
      .map((file) => [file.slice(0, -'.lua'.length), readFileSync(join(LUA_FOLDER, folder, file), 'utf8')]),
  );

/** Leaves out comments but those for the loader. Lines keep their numbers. */
export const withoutComments = (lua: string): string =>
  lua.replace(/'(?:\\.|[^'\\\n])*'| *--(?!@).*$/gm, (text) => (text.startsWith("'") ? text : ''));

/**
 * Returns the modules of lua/ by their names, and two that are made: the clock and the table of tiers.
 * @param clock the text of lua/lib/clock.lua, or what a test has in its place
 * @param replaced name → source to use instead of the file
 */
export function modulesOf(
  clock: string,
  tiers: TierTable,
  replaced: Readonly<Record<string, string>>,
): Map<string, string> {
  const folders = ['events', 'frame', 'history', 'reservations', 'verbs'];
  const modules = new Map(
    folders.flatMap((folder) =>
      [...textsIn(folder)].map(([name, lua]): [string, string] => [`${folder}/${name}`, withoutComments(lua)]),
    ),
  );
  modules.set('frame/clock', `return function(KEYS)\nlocal handed\n${clock}\nreturn nowUs, nowMs\nend`);
  modules.set('frame/limits', limitsModule(tiers));
  for (const [name, lua] of Object.entries(replaced)) if (modules.has(name)) modules.set(name, lua);
  return modules;
}
