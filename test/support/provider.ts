/**
 * A real OpenID Connect provider (npm oidc-provider) on this machine: signs JWTs, and signs people in. Whoever it is
 * asked to sign in by login_hint it does, without a word; else it asks for a name, and believes it.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type JWK } from 'oidc-provider';

export interface Claims {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: readonly string[];
}

export interface ProviderOptions {
  /** The origin at which the client `dashboard` is. */
  readonly dashboard?: string;
  /** The claims of an account. */
  readonly claimsOf?: (account: string) => Claims;
}

export interface TestProvider {
  readonly issuer: string;
  readonly jwksUrl: string;
  /** A JWT, an access token, for a subject and an audience (an absolute URI), with claims beside its own. */
  token(subject: string, audience: string, claims?: Record<string, unknown>): Promise<string>;
  /** Goes on with other keys. */
  rotateKeys(): Promise<void>;
  stop(): Promise<void>;
}

export const CLIENT = { id: 'dashboard', secret: 'the secret of the client dashboard' };
const APP = { id: 'app', redirectUri: 'https://app.example/back' };

export async function startProvider(options: ProviderOptions = {}): Promise<TestProvider> {
  let serve: (request: IncomingMessage, response: ServerResponse) => unknown = () => {};
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = addressOf(server);
  /** The claims of the next token of a subject. */
  const extra = new Map<string, Record<string, unknown>>();
  const begin = async () => {
    serve = serving(await makeProvider(issuer, options, extra));
  };
  await begin();
  return {
    issuer,
    jwksUrl: `${issuer}/jwks`,
    token: (subject, audience, claims = {}) => {
      extra.set(subject, claims);
      return fetchToken(issuer, subject, audience);
    },
    rotateKeys: begin,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function addressOf(server: Server): string {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

async function makeProvider(
  issuer: string,
  options: ProviderOptions,
  extra: ReadonlyMap<string, Record<string, unknown>>,
): Promise<Provider> {
  const { dashboard = 'https://dashboard.example', claimsOf = () => ({}) } = options;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key: JWK = { ...(await exportJWK(privateKey)), kty: 'RSA', alg: 'RS256', use: 'sig', kid: `${Math.random()}` };
  // It warns of possible mistakes in an installation.
  const { info, warn } = console;
  Object.assign(console, { info: () => {}, warn: () => {} });
  const provider = new Provider(issuer, {
    jwks: { keys: [key] },
    cookies: { keys: ['a key for cookies'] },
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${dashboard}/auth/callback`],
        post_logout_redirect_uris: [`${dashboard}/dashboard/sign-in`],
      },
      { client_id: APP.id, token_endpoint_auth_method: 'none', redirect_uris: [APP.redirectUri] },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    scopes: ['openid', 'email', 'profile'],
    extraTokenClaims: (_, token) => extra.get('accountId' in token ? String(token.accountId) : ''),
    findAccount: (_, account) => ({ accountId: account, claims: () => ({ sub: account, ...claimsOf(account) }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource) => ({
          scope: 'api',
          audience: resource,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
        useGrantedResource: () => true,
      },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => {
          ctx.body = `<!doctype html><title>Sign out</title>${form}<button form="op.logoutForm" name="logout" value="yes">Sign out</button>`;
        },
      },
    },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  });
  Object.assign(console, { info, warn });
  return provider;
}

const FORM = `<!doctype html><html lang="en"><title>Who are you?</title>
<form method="post"><label>Name <input name="login" autofocus></label><button>Sign in</button></form></html>`;

function serving(provider: Provider) {
  const callback = provider.callback();
  return async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    if (!request.url?.startsWith('/interaction/')) return callback(request, response);
    const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
    const clientId = String(params.client_id);
    if (prompt.name === 'login') {
      const login = String(params.login_hint ?? '') || new URLSearchParams(await bodyOf(request)).get('login');
      if (!login) return response.setHeader('Content-Type', 'text/html; charset=utf-8').end(FORM);
      return provider.interactionFinished(request, response, { login: { accountId: login } });
    }
    const accountId = session?.accountId ?? '';
    const grant = (grantId && (await provider.Grant.find(grantId))) || new provider.Grant({ accountId, clientId });
    grant.addOIDCScope('openid email profile');
    if (params.resource) grant.addResourceScope(String(params.resource), 'api');
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

/** Signs somebody in as a browser would, up to the access token. */
async function fetchToken(issuer: string, subject: string, audience: string): Promise<string> {
  const verifier = 'a-verifier-that-is-long-enough-for-the-code-flow';
  const challenge = Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))).toString(
    'base64url',
  );
  const query = new URLSearchParams({
    client_id: APP.id,
    response_type: 'code',
    redirect_uri: APP.redirectUri,
    scope: 'openid api',
    resource: audience,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    login_hint: subject,
  });
  const cookies = new Map<string, string>();
  let url = new URL(`/auth?${query}`, issuer);
  for (let step = 0; url.origin === issuer; step++) {
    if (step === 10) throw new Error('the provider keeps asking');
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { headers: { Cookie }, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = cookie.split(';')[0]?.split('=') ?? [];
      cookies.set(name, value);
    }
    const next = response.headers.get('location');
    if (next === null) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
    url = new URL(next, url);
  }
  const code = url.searchParams.get('code');
  if (code === null) throw new Error(`the provider refused: ${url.searchParams}`);
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: APP.id,
    code,
    redirect_uri: APP.redirectUri,
    code_verifier: verifier,
    resource: audience,
  });
  const response = await fetch(new URL('/token', issuer), { method: 'POST', body });
  const answer: unknown = await response.json();
  if (typeof answer !== 'object' || answer === null || !('access_token' in answer))
    throw new Error(JSON.stringify(answer));
  return String(answer.access_token);
}
