/**
 * What a job of a CI system meets: a real service, a real OpenID Connect provider that it trusts, and GitHub's address
 * for JWTs, which gives those of the provider.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startProvider } from './provider.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from './service.ts';

const REQUEST_TOKEN = 'the-token-of-the-runner';
const CLAIMS = { repository_id: '4711', repository: 'acme/app', run_id: '12' };

export interface Ci {
  readonly service: Instance;
  readonly tenant: string;
  /** The requests to GitHub. */
  readonly asked: IncomingMessage[];
  /** What GitHub answers. */
  answer: (audience: string) => Promise<readonly [status: number, body: unknown]>;
  /** The address of GitHub's JWTs. */
  readonly requestUrl: string;
  /** A JWT of the job. */
  jwt(): Promise<string>;
  /** The variables of a job in GitHub Actions with `id-token: write`. */
  inGitHub(): Record<string, string>;
  stop(): Promise<void>;
}

/** Starts it. The registration `app` admits the job, one requester each; `read` and `plain` are others. */
export async function startCi(): Promise<Ci> {
  const tenant = makeTenant();
  const provider = await startProvider();
  const jwt = (audience = `holdfast:${tenant}`) => provider.token('ci', audience, CLAIMS);
  const common = { tenant, issuer: provider.issuer, audience: `holdfast:${tenant}`, jwksUrl: provider.jwksUrl };
  const requester = '{repository}#{run_id}';
  const issuers = [
    { ...common, id: 'app', conditions: { repository_id: '4711' }, requester, instances: true },
    { ...common, id: 'read', conditions: { repository_id: ['4711', '1'] }, requester, permission: 'read' },
    { ...common, id: 'plain', conditions: { repository_id: '7' }, requester },
  ];
  const service = await startInstance({
    keys: [makeConfiguredKey(tenant)],
    env: { JWT_ISSUERS: JSON.stringify(issuers), JWKS_ALLOW_PRIVATE: 'true' },
  });
  const github = createServer(async (request, response) => {
    ci.asked.push(request);
    const url = new URL(request.url ?? '', 'http://localhost');
    const isMeant = request.headers.authorization === `Bearer ${REQUEST_TOKEN}` && url.searchParams.has('api-version');
    const [status, body] = isMeant ? await ci.answer(url.searchParams.get('audience') ?? '') : [401, {}];
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
  const requestUrl = `http://127.0.0.1:${(github.address() as AddressInfo).port}/jwt?api-version=2.0`;
  const ci: Ci = {
    service,
    tenant,
    asked: [],
    answer: async (audience) => [200, { value: await jwt(audience) }],
    requestUrl,
    jwt,
    inGitHub: () => ({
      HOLDFAST_URL: service.url,
      HOLDFAST_TENANT: tenant,
      HOLDFAST_ISSUER: 'app',
      GITHUB_ACTIONS: 'true',
      ACTIONS_ID_TOKEN_REQUEST_URL: requestUrl,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: REQUEST_TOKEN,
    }),
    stop: async () => {
      github.closeAllConnections();
      github.close();
      await Promise.all([service.stop(), provider.stop()]);
    },
  };
  return ci;
}
