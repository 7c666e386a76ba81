/**
 * Makes the client from the environment: HOLDFAST_URL, HOLDFAST_REQUESTER, and a key, or the JWT of a job (ci).
 */
import { readFileSync } from 'node:fs';
import { isJob, startJob } from '../ci/job.ts';
import { keyIn, urlIn } from '../environment.ts';
import { HoldfastError } from '../errors.ts';
import { Holdfast } from '../holdfast.ts';
import type { Arguments } from './arguments.ts';
import type { Call } from './command.ts';
import { EXIT, ExitError, usageError } from './exitCodes.ts';
import { span } from './moments.ts';
import { shown } from './nearest.ts';
import { sayOutages } from './outage.ts';
import { say } from './output.ts';

/** The client tries again for this long, in ms. */
const RETRIES_MS = 30_000;

/**
 * @param howLong how long the client tries again, if the service cannot be reached: `until it is stopped`. Undefined,
 *   and the default: for the wait, or `retryMs`
 * @param retryMs how long each request is repeated
 * @throws ExitError if the environment lacks something; HoldfastError if the service refuses the JWT of the job
 */
export async function connect(
  call: Pick<Call, 'args' | 'signal'>,
  howLong: () => string | undefined = () => undefined,
  retryMs = RETRIES_MS,
): Promise<Holdfast> {
  const { args } = call;
  const { url, key, requester } = await serviceOf(call);
  const client = new Holdfast({ url, key, requester, retryFor: retryMs });
  const byDefault = `for up to ${span(args.duration('wait', 'HOLDFAST_WAIT') || retryMs)}`;
  sayOutages(url, () => howLong() ?? byDefault);
  return client;
}

/** The service, and who calls it. @throws as connect */
export async function serviceOf({ args, signal }: Pick<Call, 'args' | 'signal'>) {
  const [url, requester] = [urlOf(args), requesterOf(args)];
  if (!isJob(process.env)) return { url, key: keyOf(), requester };
  const job = await startJob(url, process.env, signal).catch((error: unknown) => {
    throw error instanceof HoldfastError && error.code === 'INVALID_OPTION' ? notConfigured(error.message) : error;
  });
  if (requester !== undefined && requester !== job.requester)
    throw usageError(`this job acts for ${shown(job.requester)} alone: leave --requester and HOLDFAST_REQUESTER out`);
  if (job.endsAt !== undefined) say(`the JWT of this job ends at ${job.endsAt.toISOString()}, and gets no other`);
  return { url, key: job.key, requester: job.requester };
}

function urlOf(args: Arguments): string {
  const [name, url] = args.has('url')
    ? (['--url', args.text('url') ?? ''] as const)
    : (['HOLDFAST_URL', configured(() => urlIn(process.env))] as const);
  if (/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) return url;
  throw usageError(`${name} is not an http or https address: ${JSON.stringify(url)}`);
}

function keyOf(): string | (() => string) {
  const { HOLDFAST_KEY = '', HOLDFAST_KEY_FILE = '', HOLDFAST_RUN } = process.env;
  if (HOLDFAST_RUN !== undefined && HOLDFAST_KEY + HOLDFAST_KEY_FILE === '')
    throw notConfigured('HOLDFAST_KEY is not set: `holdfast run` passes it on with --keep-key only');
  return configured(() => keyIn(process.env, readText));
}

/** @throws ExitError if the environment lacks something */
function configured<T>(find: () => T): T {
  try {
    return find();
  } catch (error) {
    throw error instanceof HoldfastError ? notConfigured(error.message) : error;
  }
}

const notConfigured = (message: string) => new ExitError(EXIT.notConfigured, message);

/** Names a file of an option in messages. */
export const nameOfFile = (file: string): string => (file === '-' ? 'stdin' : file);

/** @throws ExitError that names the file */
export function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new ExitError(EXIT.noFile, `${nameOfFile(file)} cannot be read (${code})`);
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
