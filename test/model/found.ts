/**
 * Reads histories that once failed, from found.jsonl and foundWaiting.jsonl: a history in each line, as JSON.
 */

import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { z } from 'zod';

export const readFound = <Schema extends z.ZodType>(file: string, schema: Schema): z.output<Schema>[] =>
  readFileSync(new URL(file, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => schema.parse(JSON.parse(line)));

/** The message of a failure that random histories found. @param line to be added to the file, with a reason */
export const addThis = (message: string, file: string, line: object): string =>
  `${message}\nIf the engine is right, change the model; else fix it, and add this line to test/model/${file}:\n${JSON.stringify({ why: '...', ...line })}`;

/** Number of random histories, and their seed. */

/** Number of histories of each test file. */
export const HISTORIES = Number(process.env.HISTORIES ?? 4);

/** They are the same for the same seed. It is in the name of each test. */
export const SEED = Number(process.env.SEED ?? randomInt(1, 2 ** 31 - 1));
