/** How many random histories are run, and which. */
import { randomInt } from 'node:crypto';

/** Number of histories of each test file. */
export const HISTORIES = Number(process.env.HISTORIES ?? 10);

/** They are the same for the same seed. It is in the name of each test. */
export const SEED = Number(process.env.SEED ?? randomInt(1, 2 ** 31 - 1));
