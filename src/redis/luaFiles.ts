/**
 * Reads the modules of lua/.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const LUA_FOLDER = fileURLToPath(new URL('../../lua/', import.meta.url));

/** Returns the texts of the files of lua/ by their names: `waiting/lines` for lua/waiting/lines.lua. */
export const readModules = (): Map<string, string> =>
  new Map(
    readdirSync(LUA_FOLDER, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.lua'))
      .sort()
      .map((file) => [file.slice(0, -'.lua'.length), readFileSync(join(LUA_FOLDER, file), 'utf8')]),
  );

/** Leaves out comments. Lines keep their numbers. */
export const withoutComments = (lua: string): string =>
  lua
    .replace(/^--\[\[[\s\S]*?\]\]/, (header) => '\n'.repeat(header.split('\n').length - 1))
    .replace(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"| *--.*$/gm, (text) => (/^['"]/.test(text) ? text : ''));
