/**
 * The token of a CI job: exchanged for the job's JWT, and again before it ends (docs/specification.md#jwt-exchange).
 */
import type { Environment } from '../environment.ts';
import { HoldfastError, invalid, unexpected } from '../errors.ts';
import { randomText } from '../holds/requesters.ts';
import { errorOf, unreachable } from '../http/failures.ts';
import { attemptMs, delayBefore, pause } from '../http/retries.ts';
import { type JwtSource, jwtSourceIn } from './jwts.ts';
import { mask } from './runtime.ts';

const RETRIES_MS = 30_000;
/** The part of its lifetime after which a token is exchanged for the next one, while it still counts. */
const RENEW_AFTER = 2 / 3;
/** A token that ends so soon may end before a request with it arrives. */
const NEARLY_OVER_MS = 5000;
/** Time between two tries to renew a token that still counts. */
const RENEW_EVERY_MS = 5000;

const TENANT = /^[a-z0-9-]{1,40}$/;
const INSTANCE = /^[a-z0-9]{10,32}$/;

export interface Job {
  readonly url: string;
  /** The requester that the tokens act for. */
  readonly requester: string;
  /** When the job's only JWT ends. Undefined: it gets others. */
  readonly endsAt: Date | undefined;
  /** Returns the token. @param refused the one that the service has refused */
  key(refused?: string): Promise<string>;
}

interface Token {
  readonly token: string;
  readonly requester: string;
  /** By performance.now(). */
  readonly endsAtMs: number;
  readonly renewAtMs: number;
}

/**
 * Returns true if the environment names a tenant and no key, so that a job's JWT is to be exchanged.
 */
export const isJob = ({ HOLDFAST_TENANT = '', HOLDFAST_KEY = '', HOLDFAST_KEY_FILE = '' }: Environment): boolean =>
  HOLDFAST_TENANT !== '' && HOLDFAST_KEY + HOLDFAST_KEY_FILE === '';

/**
 * Exchanges the job's JWT for its first token.
 * @param signal gives the first exchange up
 * @throws HoldfastError INVALID_OPTION if the environment lacks something; as the service refuses the JWT
 */
export async function startJob(url: string, env: Environment, signal?: AbortSignal): Promise<Job> {
  const { HOLDFAST_TENANT: tenant = '', HOLDFAST_ISSUER: issuer = '', HOLDFAST_INSTANCE = '' } = env;
  if (!TENANT.test(tenant)) throw invalid('HOLDFAST_TENANT must be 1 to 40 lower-case letters, digits and hyphens');
  const instance = HOLDFAST_INSTANCE === '' ? randomText(16) : HOLDFAST_INSTANCE;
  if (!INSTANCE.test(instance)) throw invalid('HOLDFAST_INSTANCE must be 10 to 32 of a-z and 0-9');
  const address = addressOf(url);
  const source = jwtSourceIn(env);
  const ask = async (timeoutMs: number): Promise<Token> => {
    const jwt = await source.fetch(`holdfast:${tenant}`, timeoutMs);
    mask(env, jwt);
    const body = { jwt, tenant, instance, ...(issuer === '' ? {} : { issuer }) };
    const token = await exchange(address, body, timeoutMs);
    mask(env, token.token);
    return token;
  };
  const tokens = new Tokens(await orAborted(repeated(ask, signal), signal), () => repeated(ask));
  const { requester } = tokens;
  return { url, requester, endsAt: await endOf(source, tenant), key: (refused) => tokens.get(refused) };
}

/** The address of exchanges. A JWT that is sent in clear can be used by whoever reads it. */
function addressOf(url: string): URL {
  const { protocol, hostname } = new URL(URL.canParse(url) ? url : 'none:');
  const isLoopback = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback))
    throw invalid('HOLDFAST_URL must be https, or an address of this machine: a JWT is not sent in clear');
  return new URL(`${url.replace(/\/+$/, '')}/api/v1/auth/token`);
}

/** When the only JWT of a job ends. It is not verified here: this is for people. */
async function endOf(source: JwtSource, tenant: string): Promise<Date | undefined> {
  if (source.isRenewable) return undefined;
  try {
    const [, payload = ''] = (await source.fetch(`holdfast:${tenant}`, 0)).split('.');
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    const exp = typeof claims === 'object' && claims !== null && 'exp' in claims ? Number(claims.exp) : Number.NaN;
    return Number.isFinite(exp) ? new Date(exp * 1000) : undefined;
  } catch {
    return undefined;
  }
}

/** Waits no longer once the signal aborts. */
const orAborted = <T>(done: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(signal?.reason);
    signal?.addEventListener('abort', giveUp);
    if (signal?.aborted) giveUp();
    done.then(resolve, reject).finally(() => signal?.removeEventListener('abort', giveUp));
  });

/** Repeats an exchange as calls are repeated. */
async function repeated(ask: (timeoutMs: number) => Promise<Token>, signal?: AbortSignal): Promise<Token> {
  const deadline = performance.now() + RETRIES_MS;
  for (let tries = 1; ; tries++) {
    try {
      return await ask(Math.floor(attemptMs(deadline)));
    } catch (error) {
      const delay = error instanceof HoldfastError ? delayBefore(error, tries, deadline) : undefined;
      if (delay === undefined || signal?.aborted) throw error;
      await pause(delay, signal);
    }
  }
}

async function exchange(address: URL, body: object, timeoutMs: number): Promise<Token> {
  const sentAtMs = performance.now();
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = { 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body), signal, redirect: 'error' } as const;
  const response = await fetch(address, init).catch((error: unknown) => {
    throw unreachable(error, signal.aborted ? timeoutMs : undefined);
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.status !== 200) throw errorOf(response, answer);
  const { token, requester, expiresIn } = (answer ?? {}) as Partial<Record<string, unknown>>;
  if (typeof token !== 'string' || typeof requester !== 'string' || typeof expiresIn !== 'number') throw unexpected();
  const lifetimeMs = expiresIn * 1000;
  return { token, requester, endsAtMs: sentAtMs + lifetimeMs, renewAtMs: sentAtMs + lifetimeMs * RENEW_AFTER };
}

/** The present token, which is renewed in time. */
class Tokens {
  readonly requester: string;
  readonly #exchange: () => Promise<Token>;
  #current: Token;
  #renewal: Promise<void> | undefined;
  #triedAtMs = 0;

  constructor(first: Token, exchangeAgain: () => Promise<Token>) {
    this.#current = first;
    this.requester = first.requester;
    this.#exchange = exchangeAgain;
  }

  /** @throws HoldfastError if the present token has ended, and there is no other */
  async get(refused: string | undefined): Promise<string> {
    const now = performance.now();
    const { token, endsAtMs, renewAtMs } = this.#current;
    if (refused === token || now > endsAtMs - NEARLY_OVER_MS) await this.#renew();
    // Until it ends, a failure does no harm.
    else if (now > renewAtMs && now > this.#triedAtMs + RENEW_EVERY_MS) this.#renew().catch(() => {});
    return this.#current.token;
  }

  /** All who need the next token share one exchange. */
  #renew(): Promise<void> {
    this.#triedAtMs = performance.now();
    this.#renewal ??= this.#exchange()
      .then((next) => this.#take(next))
      .finally(() => {
        this.#renewal = undefined;
      });
    return this.#renewal;
  }

  #take(next: Token): void {
    if (next.requester !== this.requester)
      throw new HoldfastError(
        'FORBIDDEN',
        `The requester of this job is ${next.requester} by now, and its reservations are of ${this.requester}`,
      );
    this.#current = next;
  }
}
