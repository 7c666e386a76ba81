/** All tools, in the order in which clients list them. */
import type { Rules } from '../../contract/sizes.ts';
import type { Tool } from '../tool.ts';
import { cancel, release, renew } from './holding.ts';
import { check, listReservationsTool, listResources, whoIsWaiting } from './looking.ts';
import { register } from './register.ts';
import { reserve } from './reserve.ts';

/** Makes the tools of an instance. */
export const makeTools = (rules: Rules): readonly Tool[] =>
  [reserve, release, renew, check, listReservationsTool, listResources, whoIsWaiting, cancel, register].map((make) =>
    make(rules),
  );
