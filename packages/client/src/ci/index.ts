/**
 * `@holdfast/client/ci`: the credentials of a job in GitHub Actions, GitLab, Buildkite, Kubernetes and others, without
 * a secret (docs/guides/ci.md).
 */
import { serviceOfProcess, urlIn } from '../environment.ts';
import type { HoldfastOptions } from '../types.ts';
import { isJob, startJob } from './job.ts';
import { ownEnvironment } from './runtime.ts';

/**
 * Finds the credentials of this process: HOLDFAST_KEY or HOLDFAST_KEY_FILE; or else, with HOLDFAST_TENANT, it exchanges
 * the job's JWT for a token, and again before the token ends.
 *
 *     const holdfast = new Holdfast(await fromCi());
 *
 * @throws HoldfastError INVALID_OPTION if a variable is missing, which it names, or the job has no JWT; as the service
 * refuses the JWT
 */
export async function fromCi(): Promise<Pick<HoldfastOptions, 'url' | 'key' | 'requester'>> {
  const env = ownEnvironment();
  if (!isJob(env)) return serviceOfProcess();
  const url = urlIn(env);
  const { key, requester } = await startJob(url, env);
  return { url, key, requester };
}
