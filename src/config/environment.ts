/**
 * The rules between environment variables (docs/specification.md#store-modes-and-start).
 */
import { isThisMachine } from './formats.ts';
import { Variables } from './variables.ts';

/** The port if PORT is not set. If it is taken, any free port is used. */
export const DEFAULT_PORT = 8080;

/** The schema of the whole environment. */
export const Environment = Variables.superRefine((env, context) => {
  const fault = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message });
  if (env.METRICS_PORT === env.PORT && env.PORT !== undefined && env.PORT !== 0)
    fault('METRICS_PORT', 'must be another port than PORT');
  if (env.OIDC_ISSUER !== undefined) {
    for (const name of ['OIDC_CLIENT_ID', 'PUBLIC_URL'] as const)
      if (env[name] === undefined) fault(name, 'must be set where OIDC_ISSUER is');
    if (env.DATABASE_URL === undefined) {
      if (env.KEY_SECRET === undefined)
        fault('KEY_SECRET', 'must be set where OIDC_ISSUER is: 32 or more random characters');
      if (env.MEMBERS === undefined)
        fault('MEMBERS', 'must be set where OIDC_ISSUER is and DATABASE_URL is not: it says who may sign in');
    }
  }
  if (env.SMTP_URL !== undefined)
    for (const name of ['DATABASE_URL', 'MAIL_FROM', 'PUBLIC_URL'] as const)
      if (env[name] === undefined) fault(name, 'must be set where SMTP_URL is');
  if (env.VAPID_PRIVATE_KEY !== undefined)
    for (const name of ['DATABASE_URL', 'PUBLIC_URL'] as const)
      if (env[name] === undefined) fault(name, 'must be set where VAPID_PRIVATE_KEY is');
  if (env.LOCAL_SIGN_IN !== 'false' && env.OIDC_ISSUER !== undefined)
    fault('LOCAL_SIGN_IN', `must not be ${env.LOCAL_SIGN_IN} where OIDC_ISSUER is set`);
  if (env.LOCAL_SIGN_IN === 'key' && env.DATABASE_URL !== undefined)
    fault('LOCAL_SIGN_IN', 'must not be key where DATABASE_URL is set: people belong to tenants there');
  if (env.LOCAL_SIGN_IN === 'true') {
    if (!isThisMachine(env.HOST) || env.TRUSTED_PROXIES > 0)
      fault('LOCAL_SIGN_IN', 'must not be true where others than this machine can call: HOST, TRUSTED_PROXIES');
  }
  if (env.DATABASE_URL === undefined) {
    const configured = new Set(env.API_KEYS?.map(({ tenant }) => tenant));
    env.MEMBERS?.forEach(({ tenant }, i) => {
      if (!configured.has(tenant))
        context.addIssue({ code: 'custom', path: ['MEMBERS', i, 'tenant'], message: 'must be a tenant of API_KEYS' });
    });
    return;
  }
  if (env.KEY_SECRET === undefined)
    fault('KEY_SECRET', 'must be set where DATABASE_URL is: 32 or more random characters');
  for (const name of ['API_KEYS', 'JWT_ISSUERS', 'MEMBERS'] as const)
    if (env[name] !== undefined) fault(name, 'must be unset where DATABASE_URL is set: the database has them');
});

/** The names of all variables. */
export const VARIABLES: readonly string[] = Object.keys(Variables.shape);

/** Names of others may contain digits, such as REDIS_PORT_6379_TCP, which Kubernetes adds. Ours do not. */
const LIKE_OURS = /^[A-Z_]+$/;

/**
 * Finds environment variables whose names are probably misspelt names of ours. The environment also has the variables
 * of others, so only names that are one slip away count.
 * @param names of all variables that are set
 * @param known the names of ours
 * @returns a sentence for each name that is one letter away from one of ours, or that differs from it in case
 */
export function misspelt(names: readonly string[], known: readonly string[]): readonly string[] {
  return names
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const upper = name.toUpperCase();
      const meant = LIKE_OURS.test(upper) ? known.find((one) => one === upper || isOneSlip(upper, one)) : undefined;
      return meant === undefined ? [] : [`Holdfast does not know ${name}; did you mean ${meant}?`];
    });
}

/** Returns true if two names differ in one missing, added or wrong letter, or in two neighbours that are swapped. */
function isOneSlip(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [inA, inB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (inA.length <= 1 && inB.length <= 1) return true;
  return inA.length === 2 && inB.length === 2 && inA[0] === inB[1] && inA[1] === inB[0];
}
