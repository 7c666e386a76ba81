/** Looks into Redis for what does not fit together once nothing happens any more. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { System } from '../system.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const asLocal = (name: string, path: string) => `local ${name} = (function()\n${read(path)}\nend)()\n`;
const SCRIPT = `${asLocal('codec', '../../../lua/slots/codec.lua')}${asLocal('hotField', '../../../lua/frame/hot.lua')}
${read('./inconsistencies.lua')}`;
/** In the order of the script's header. */
const KEYS = ['tenant', 'slots', 'due', 'pools', 'tickets', 'lines', 'waits', 'sessions', 'sessionsDue'];

const Lines = z.array(z.string());

/** Returns lines that say what is wrong in the state of a tenant; none if all is well. */
export async function findInconsistencies(system: System, tenant: string): Promise<string[]> {
  const keys = KEYS.map((key) => `{${tenant}}:${key}`);
  return Lines.parse(await system.command(await system.primaryOf(tenant), 'EVAL_RO', SCRIPT, keys.length, ...keys));
}
