/** The exit codes of `holdfast`: those of sysexits.h where one fits. docs/command-line.md and `--help` list them. */
import { HoldfastError } from '../errors.ts';

export const EXIT = {
  done: 0,
  no: 1,
  usage: 64,
  badInput: 65,
  noFile: 66,
  unavailable: 69,
  fault: 70,
  notHad: 75,
  lost: 76,
  notAllowed: 77,
  notConfigured: 78,
  notExecutable: 126,
  notFound: 127,
} as const;

/** The meaning of each code, as `--help` shows it. */
export const EXIT_CODES: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'done; for run: the command ended with 0'],
  ['1', 'check, why: one cannot be reserved now; unregister: one was kept; apply --dry-run: there are changes'],
  ['64', 'wrong use: an unknown option, a missing argument'],
  ['65', 'the request or the file is not valid: the service refused it'],
  ['66', 'a file cannot be read'],
  ['69', 'the service cannot be reached, or cannot serve'],
  ['70', 'a fault of the service or of holdfast'],
  ['75', 'it could not be had (in time), or a limit is reached: try again; apply --prune: one was kept'],
  ['76', 'the lease was lost; release, renew: it is not held, or not by this requester'],
  ['77', 'the key is refused, or not allowed to do this'],
  ['78', 'HOLDFAST_URL or the key is missing, blank or given twice'],
  ['126', 'run, clean: the command cannot be executed'],
  ['127', 'run, clean: the command was not found'],
  ['128 + n', 'run: signal n ended the command; otherwise: signal n ended holdfast (130: Ctrl-C)'],
  ['any other', 'run: the exit code of the command'],
];

/** Ends the command line with a message of one line. */
export class ExitError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const usageError = (message: string): ExitError => new ExitError(EXIT.usage, message);

const CODES = new Map<string, number>([
  ['INVALID_OPTION', EXIT.usage],
  ['MALFORMED_REQUEST', EXIT.badInput],
  ['UNKNOWN_FIELD', EXIT.badInput],
  ['REFUSED', EXIT.badInput],
  ['NOT_VALID', EXIT.badInput],
  ['NOT_REGISTERED', EXIT.badInput],
  ['BODY_TOO_LARGE', EXIT.badInput],
  ['UNREACHABLE', EXIT.unavailable],
  ['UNAVAILABLE', EXIT.unavailable],
  ['OVERLOADED', EXIT.unavailable],
  ['NOT_CONFIGURED', EXIT.unavailable],
  ['BODY_TIMEOUT', EXIT.unavailable],
  ['ALREADY_HELD', EXIT.notHad],
  ['ALREADY_HAD', EXIT.notHad],
  ['NOT_AVAILABLE', EXIT.notHad],
  ['CONFLICT', EXIT.notHad],
  ['LIMIT_REACHED', EXIT.notHad],
  ['LEASE_LOST', EXIT.lost],
  ['NOT_RESERVED', EXIT.lost],
  ['DOESNT_OWN_RESERVATION', EXIT.lost],
  ['INVALID_RELEASE_TOKEN', EXIT.lost],
  ['UNAUTHENTICATED', EXIT.notAllowed],
  ['FORBIDDEN', EXIT.notAllowed],
  ['UPGRADE_REQUIRED', EXIT.notAllowed],
]);

/** The exit code for an error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof ExitError) return error.exitCode;
  if (!(error instanceof HoldfastError)) return EXIT.fault;
  const { code, status = 0 } = error;
  return CODES.get(code) ?? (/^50[234]$/.test(String(status)) ? EXIT.unavailable : EXIT.fault);
}
