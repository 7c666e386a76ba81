/** Makes the client from the environment: HOLDFAST_URL, HOLDFAST_KEY or HOLDFAST_KEY_FILE, HOLDFAST_REQUESTER. */
import { readFileSync } from 'node:fs';
import { Holdfast } from '../holdfast.ts';
import type { Arguments } from './arguments.ts';
import { EXIT, ExitError, usageError } from './exitCodes.ts';

/** @throws ExitError if the environment lacks something */
export function connect(args: Arguments): Holdfast {
  return new Holdfast({ url: urlOf(args), key: keyOf(), requester: requesterOf(args) });
}

function urlOf(args: Arguments): string {
  const [name, url] = args.has('url')
    ? (['--url', args.text('url') ?? ''] as const)
    : (['HOLDFAST_URL', process.env.HOLDFAST_URL ?? ''] as const);
  if (url === '')
    throw new ExitError(
      EXIT.notConfigured,
      'HOLDFAST_URL is not set: where is the service? https://holdfast.example.com',
    );
  if (/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) return url;
  throw usageError(`${name} is not an http or https address: ${JSON.stringify(url)}`);
}

/** A key in a file is read for each request, so that it may be replaced while a command runs. */
function keyOf(): string | (() => string) {
  const { HOLDFAST_KEY = '', HOLDFAST_KEY_FILE = '' } = process.env;
  if (HOLDFAST_KEY !== '') return HOLDFAST_KEY.trim();
  if (HOLDFAST_KEY_FILE === '') throw new ExitError(EXIT.notConfigured, 'HOLDFAST_KEY is not set: an API key');
  const read = () => readText(HOLDFAST_KEY_FILE).trim();
  read(); // So that a wrong path is an error at once.
  return read;
}

/** @throws ExitError that names the file */
export function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new ExitError(EXIT.noFile, `${file === '-' ? 'stdin' : file} cannot be read (${code})`);
  }
}

/**
 * Who reserves: `--requester`, or HOLDFAST_REQUESTER. `run` sets HOLDFAST_REQUESTER for its command, and HOLDFAST_RUN
 * to the same: commands inside it that reserve, which may run at the same time, have to exclude each other.
 * @returns undefined: one that is unique to this start
 */
function requesterOf(args: Arguments): string | undefined {
  const { HOLDFAST_REQUESTER = '', HOLDFAST_RUN } = process.env;
  const given = args.text('requester');
  if (given !== undefined) return given;
  return HOLDFAST_REQUESTER === '' || HOLDFAST_REQUESTER === HOLDFAST_RUN ? undefined : HOLDFAST_REQUESTER;
}

/** The requester whose reservations a command is about, if one is named. */
export function namedRequester(args: Arguments): string | undefined {
  const { HOLDFAST_REQUESTER = '' } = process.env;
  return args.text('requester') ?? (HOLDFAST_REQUESTER === '' ? undefined : HOLDFAST_REQUESTER);
}
