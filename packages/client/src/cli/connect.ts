/** Makes the client from the environment: HOLDFAST_URL, HOLDFAST_KEY or HOLDFAST_KEY_FILE, HOLDFAST_REQUESTER. */
import { readFileSync } from 'node:fs';
import { Holdfast } from '../holdfast.ts';
import type { Arguments } from './arguments.ts';
import { EXIT, ExitError, usageError } from './exitCodes.ts';
import { sayOutages } from './outage.ts';
import { span } from './times.ts';

/** The client tries again for this long, in ms. */
const RETRIES_MS = 30_000;

/**
 * @param howLong how long the client tries again, if the service cannot be reached: `until it is stopped`. Undefined,
 *   and the default: for the wait, or 30 s
 * @throws ExitError if the environment lacks something
 */
export function connect(args: Arguments, howLong: () => string | undefined = () => undefined): Holdfast {
  const { url, key, requester } = serviceOf(args);
  const client = new Holdfast({ url, key, requester });
  const byDefault = `for up to ${span(args.duration('wait') || RETRIES_MS)}`;
  sayOutages(url, () => howLong() ?? byDefault);
  return client;
}

/** The service, and who calls it. @throws ExitError if the environment lacks something */
export const serviceOf = (args: Arguments) => ({ url: urlOf(args), key: keyOf(), requester: requesterOf(args) });

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
  if (HOLDFAST_KEY !== '' && HOLDFAST_KEY_FILE !== '')
    throw new ExitError(EXIT.notConfigured, 'HOLDFAST_KEY and HOLDFAST_KEY_FILE are both set: which one?');
  if (HOLDFAST_KEY_FILE !== '') return keyIn(HOLDFAST_KEY_FILE);
  if (HOLDFAST_KEY.trim() !== '') return HOLDFAST_KEY.trim();
  const hint =
    process.env.HOLDFAST_RUN === undefined ? 'an API key' : '`holdfast run` passes it on with --keep-key only';
  throw new ExitError(EXIT.notConfigured, `HOLDFAST_KEY is ${HOLDFAST_KEY === '' ? 'not set' : 'blank'}: ${hint}`);
}

function keyIn(file: string): () => string {
  const read = () => readText(file).trim();
  let last = read();
  if (last === '') throw new ExitError(EXIT.notConfigured, `HOLDFAST_KEY_FILE is blank: there is no key in ${file}`);
  return () => {
    try {
      last = read() || last;
    } catch {
      // It is being replaced: the last key still counts.
    }
    return last;
  };
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
