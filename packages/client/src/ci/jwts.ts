/**
 * Where a job of a CI system gets its JWT (docs/guides/ci.md): from a file, a variable, GitHub or the agent of
 * Buildkite. The first that is there counts.
 */
import type { Environment } from '../environment.ts';
import { HoldfastError, invalid } from '../errors.ts';
import { unreachable } from '../http/failures.ts';
import { builtin } from './runtime.ts';

export interface JwtSource {
  /** False if the job has one JWT, and gets no other. */
  readonly isRenewable: boolean;
  /** @throws HoldfastError UNREACHABLE, INVALID_OPTION and others */
  fetch(audience: string, timeoutMs: number): Promise<string>;
}

/** @throws HoldfastError INVALID_OPTION that says why the job has no JWT */
export function jwtSourceIn(env: Environment): JwtSource {
  const { HOLDFAST_JWT_FILE = '', HOLDFAST_ID_TOKEN = '' } = env;
  const { ACTIONS_ID_TOKEN_REQUEST_URL = '', ACTIONS_ID_TOKEN_REQUEST_TOKEN = '' } = env;
  if (HOLDFAST_JWT_FILE !== '') return { isRenewable: true, fetch: async () => inFile(HOLDFAST_JWT_FILE) };
  if (HOLDFAST_ID_TOKEN.trim() !== '') return { isRenewable: false, fetch: async () => HOLDFAST_ID_TOKEN.trim() };
  if (ACTIONS_ID_TOKEN_REQUEST_URL !== '' && ACTIONS_ID_TOKEN_REQUEST_TOKEN !== '')
    return ofGitHub(ACTIONS_ID_TOKEN_REQUEST_URL, ACTIONS_ID_TOKEN_REQUEST_TOKEN);
  if (env.BUILDKITE === 'true') return OF_BUILDKITE;
  throw invalid(`HOLDFAST_TENANT is set, and this job has no JWT${whyNone(env)}`);
}

/** The missing part of a job's environment, in the words of each CI system. */
function whyNone({ GITHUB_ACTIONS, GITLAB_CI }: Environment): string {
  if (GITHUB_ACTIONS === 'true')
    return '. It needs `permissions: id-token: write`. A pull request from a fork never gets one';
  if (GITLAB_CI === 'true') return '. Declare `id_tokens: HOLDFAST_ID_TOKEN: aud: holdfast:<tenant>` in the job';
  return ', nor HOLDFAST_KEY: set HOLDFAST_JWT_FILE or HOLDFAST_ID_TOKEN';
}

/** Kubernetes replaces the file before the JWT ends. */
function inFile(file: string): string {
  let text: string;
  try {
    text = builtin('node:fs').readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw invalid(`HOLDFAST_JWT_FILE: ${file} cannot be read`, cause);
  }
  if (text === '') throw invalid(`HOLDFAST_JWT_FILE: ${file} is blank`);
  return text;
}

function ofGitHub(address: string, token: string): JwtSource {
  return {
    isRenewable: true,
    fetch: async (audience, timeoutMs) => {
      const url = new URL(address);
      url.searchParams.set('audience', audience);
      const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' };
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await fetch(url, { headers, signal, redirect: 'error' }).catch((error: unknown) => {
        throw ofSource('GitHub', unreachable(error, signal.aborted ? timeoutMs : undefined));
      });
      const answer: unknown = await response.json().catch(() => undefined);
      if (typeof answer === 'object' && answer !== null && 'value' in answer && typeof answer.value === 'string')
        return answer.value;
      const { status } = response;
      throw new HoldfastError('UNAUTHENTICATED', `GitHub gave no JWT (status ${status})`, {
        // Its own trouble passes; whatever else it says of a request, it will say again.
        ...(status >= 500 && { status: 503 }),
      });
    },
  };
}

const ofSource = (name: string, { code, message, cause }: HoldfastError) =>
  new HoldfastError(code, message.replace('The service', name), { cause });

/** Claims with ids that are never used again. The agent leaves them out unless they are asked for. */
const BUILDKITE_CLAIMS = ['organization_id', 'pipeline_id'];

const OF_BUILDKITE: JwtSource = {
  isRenewable: true,
  fetch: (audience, timeoutMs) =>
    new Promise((resolve, reject) => {
      const claims = BUILDKITE_CLAIMS.flatMap((claim) => ['--claim', claim]);
      const args = ['oidc', 'request-token', '--audience', audience, ...claims];
      const { execFile } = builtin('node:child_process');
      execFile('buildkite-agent', args, { timeout: timeoutMs, encoding: 'utf8' }, (error, stdout, stderr) => {
        const jwt = stdout.trim();
        const [line = ''] = stderr.trim().split('\n').slice(-1);
        if (error === null && jwt !== '') resolve(jwt);
        else reject(invalid(`buildkite-agent gave no JWT${line === '' ? '' : `: ${line.slice(0, 200)}`}`, error));
      });
    }),
};
