/** All commands, in the order of help. */
import type { Command } from '../command.ts';
import { apply } from './apply.ts';
import { book } from './book.ts';
import { check } from './check.ts';
import { clean } from './clean.ts';
import { completionOf } from './completion.ts';
import { condition } from './condition.ts';
import { definitions } from './definitions.ts';
import { exportResources, importResources } from './export.ts';
import { bookings, ls } from './ls.ts';
import { mcp } from './mcp.ts';
import { register } from './register.ts';
import { release, reset } from './release.ts';
import { renew } from './renew.ts';
import { reserve } from './reserve.ts';
import { run } from './run.ts';
import { tree } from './tree.ts';
import { unbook } from './unbook.ts';
import { unregister } from './unregister.ts';
import { cancel, waiting } from './waiting.ts';
import { watch } from './watch.ts';
import { why } from './why.ts';

export const COMMANDS: readonly Command[] = [
  run,
  reserve,
  release,
  renew,
  condition,
  clean,
  check,
  why,
  ls,
  waiting,
  cancel,
  book,
  bookings,
  unbook,
  tree,
  watch,
  register,
  unregister,
  definitions,
  apply,
  exportResources,
  importResources,
  reset,
  mcp,
  completionOf(() => COMMANDS),
];
