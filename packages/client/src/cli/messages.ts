/** Says in one line what went wrong. */
import { HoldfastError } from '../errors.ts';
import type { HeldBy } from '../types.ts';
import { ExitError } from './exitCodes.ts';
import { left } from './moments.ts';

/** `printer is held by ann (nightly build); its lease ends in 42s` */
function holderOf(heldBy: HeldBy): string {
  const { resource, requester, note } = heldBy;
  const why = note === null ? '' : ` (${note})`;
  return `${resource} is held by ${requester ?? 'others'}${why}${endOf(heldBy)}`;
}

/** `; its lease ends in 42s` */
function endOf({ requester, since, expiresAt }: HeldBy): string {
  const lease = expiresAt === null ? '; it has no lease' : `; its lease ends in ${left(expiresAt)}`;
  const isKnown = since !== null || expiresAt !== null;
  const isParent = requester !== null && requester === process.env.HOLDFAST_RUN;
  const hint = isParent ? '; that is the `holdfast run` around this command' : '';
  return `${isKnown ? lease : ''}${hint}`;
}

/** A code such as `ERR_SSL_WRONG_VERSION_NUMBER`, of an error or of what caused it. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? error.code : codeOf(error.cause);
}

/** Messages of the client that need a word about this program. */
function ownWords({ code, status = 0, message, cause }: HoldfastError): string {
  if (code === 'PATH_NOT_FOUND')
    return 'the service has no such path: HOLDFAST_URL must end before /api/v1: https://holdfast.example.com';
  if (code === 'UNREACHABLE' && /SSL routines/.test(message))
    return `The service could not be reached by TLS (${codeOf(cause)}): should HOLDFAST_URL begin with http://?`;
  if (code === 'UNEXPECTED_RESPONSE' && status < 500)
    return `${message.replace(/: is this Holdfast\?$/, '')}; is HOLDFAST_URL the address of Holdfast?`;
  return message;
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof ExitError) return error.message;
  if (!(error instanceof HoldfastError)) {
    const name = error instanceof Error ? error.name : typeof error;
    return `an unexpected answer, or a fault of holdfast (${name}): is HOLDFAST_URL the address of Holdfast?`;
  }
  const { code, heldBy } = error;
  if (heldBy === undefined) return ownWords(error);
  return code === 'ALREADY_HELD' ? holderOf(heldBy) : `${ownWords(error)}${endOf(heldBy)}`;
}
