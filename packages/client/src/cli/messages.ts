/** Says in one line what went wrong. */
import { HoldfastError } from '../errors.ts';
import type { HeldBy } from '../types.ts';
import { left } from './times.ts';

/** `printer is held by ann (nightly build); its lease ends in 42s` */
function holderOf({ resource, requester, note, since, expiresAt }: HeldBy): string {
  const why = note === null ? '' : ` (${note})`;
  const lease = expiresAt === null ? 'it has no lease' : `its lease ends in ${left(expiresAt)}`;
  return `${resource} is held by ${requester ?? 'others'}${why}${since === null ? '' : `; ${lease}`}`;
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (!(error instanceof HoldfastError)) return error instanceof Error ? error.message : String(error);
  const { code, message, heldBy } = error;
  if (heldBy === undefined) return message;
  return code === 'ALREADY_HELD' ? holderOf(heldBy) : `${message}; ${holderOf(heldBy)}`;
}
