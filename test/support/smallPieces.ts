import { readFileSync } from 'node:fs';

/** Scripts that settle the queue in the smallest pieces: each looks at one ticket, or at one line. */
export const SMALL_PIECES = {
  'waiting/settle': readFileSync('lua/waiting/settle.lua', 'utf8').replace(
    /(MIN_SETTLE_WORK, MAX_SETTLE_WORK, MAX_SCRIPT_WORK) = [\d, ]+/,
    '$1 = 0, 0, 0',
  ),
};
