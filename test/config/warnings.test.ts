/**
 * Warnings about settings that work, but are probably not meant.
 */
import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { misspelt, VARIABLES } from '../../src/config/environment.ts';
import { isThisMachine } from '../../src/config/formats.ts';

const REDIS_URL = 'redis://localhost';
const warningsFor = (env: Record<string, string>) => readConfig({ REDIS_URL, ...env }).warnings;

describe('a misspelt name', () => {
  test.each([
    ['REDIS_ULR', 'REDIS_URL'],
    ['REDIS_URI', 'REDIS_URL'],
    ['REDISURL', 'REDIS_URL'],
    ['redis_url', 'REDIS_URL'],
    ['METRIC_PORT', 'METRICS_PORT'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['KEY_SECRETS', 'KEY_SECRET'],
    ['API_KEY', 'API_KEYS'],
    ['ADMIN', 'ADMINS'],
    ['OIDC_SCOPES', 'OIDC_SCOPE'],
    ['LOGLEVEL', 'LOG_LEVEL'],
  ])('%s is taken for %s', (name, meant) => {
    expect(warningsFor({ [name]: 'x' })).toEqual([`Holdfast does not know ${name}; did you mean ${meant}?`]);
  });

  test('that is empty counts as unset', () => {
    expect(warningsFor({ REDIS_ULR: '' })).toEqual([]);
  });

  test('is reported together with the faults of a configuration', () => {
    const read = () => readConfig({ REDIS_ULR: 'redis://localhost' });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(/REDIS_URL must be set.*REDIS_ULR; did you mean REDIS_URL\?$/);
  });
});

describe('the names of others are not taken for ours', () => {
  const ENVIRONMENTS = {
    'a shell': `HOME HOSTNAME HOSTTYPE LANG LANGUAGE LC_ALL LESS LOGNAME LS_COLORS MACHTYPE MAIL OLDPWD OSTYPE PAGER PATH
      PPID PS1 PWD SHELL SHLVL TERM TERM_PROGRAM TMPDIR TZ UID USER USERNAME VISUAL EDITOR DISPLAY XDG_RUNTIME_DIR _
      SSH_AUTH_SOCK SSH_CLIENT SSH_TTY COLORTERM HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy`,
    npm: `npm_command npm_config_cache npm_config_node_gyp npm_config_user_agent npm_execpath npm_lifecycle_event
      npm_lifecycle_script npm_node_execpath npm_package_json npm_package_name npm_package_version INIT_CWD EDITOR COLOR`,
    Node: 'NODE NODE_ENV NODE_OPTIONS NODE_PATH NODE_VERSION YARN_VERSION NODE_EXTRA_CA_CERTS FORCE_COLOR DEBUG',
    Kubernetes: `KUBERNETES_PORT KUBERNETES_PORT_443_TCP KUBERNETES_PORT_443_TCP_ADDR KUBERNETES_SERVICE_HOST
      KUBERNETES_SERVICE_PORT KUBERNETES_SERVICE_PORT_HTTPS REDIS_PORT REDIS_PORT_6379_TCP REDIS_PORT_6379_TCP_ADDR
      REDIS_SERVICE_HOST REDIS_SERVICE_PORT REDIS_SERVICE_PORT_REDIS POSTGRES_PORT POSTGRES_SERVICE_HOST
      DATABASE_PORT DATABASE_PORT_5432_TCP DATABASE_SERVICE_HOST HOLDFAST_PORT HOLDFAST_SERVICE_HOST
      HOLDFAST_API_PORT METRICS_SERVICE_HOST POD_NAME POD_IP NODE_NAME NAMESPACE`,
    systemd: 'INVOCATION_ID JOURNAL_STREAM LISTEN_FDS LISTEN_PID NOTIFY_SOCKET SYSTEMD_EXEC_PID WATCHDOG_USEC',
    'other programs': `DATABASE_HOST DATABASE_NAME DATABASE_USER DATABASE_PASSWORD DB_HOST DB_PORT REDIS_HOST REDIS_PASSWORD
      REDIS_TLS_URL POSTGRES_PASSWORD POSTGRES_USER POSTGRES_DB PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE SECRET_KEY
      API_SECRET JWT_SECRET OPENAI_API_KEY AWS_REGION AWS_ROLE_ARN AWS_ACCESS_KEY_ID SENTRY_DSN PORT0 PORT1 DYNO
      K_SERVICE FLY_REGION RENDER RAILWAY_PUBLIC_DOMAIN DD_AGENT_HOST OTEL_EXPORTER_OTLP_HEADERS OTEL_SERVICE_NAME
      OTEL_TRACES_SAMPLER OTEL_EXPORTER_OTLP_TRACES_ENDPOINT OTEL_EXPORTER_OTLP_PROTOCOL HOLDFAST_URL HOLDFAST_KEY`,
    CI: 'CI GITHUB_ACTIONS GITHUB_TOKEN GITHUB_REF RUNNER_OS RUNNER_TEMP GITLAB_CI CI_JOB_ID JENKINS_URL BUILD_ID',
  };

  test.each(Object.entries(ENVIRONMENTS))('%s', (_, names) => {
    expect(misspelt(names.split(/\s+/), VARIABLES)).toEqual([]);
  });

  test('this process', () => {
    expect(misspelt(Object.keys(process.env), VARIABLES)).toEqual([]);
  });
});

describe('a database that nobody can sign in to', () => {
  const database = { DATABASE_URL: 'postgres://h/d', KEY_SECRET: 'x'.repeat(32) };

  test('is told to instances with a dashboard', () => {
    expect(warningsFor(database)).toEqual([expect.stringMatching(/^Nobody can sign in.*OIDC_ISSUER/)]);
    expect(warningsFor({ ...database, ROLE: 'worker' })).toEqual([]);
    expect(warningsFor({ ...database, LOCAL_SIGN_IN: 'true' })).toEqual([]);
    expect(warningsFor({})).toEqual([]);
  });
});

const hostOf = (url: string) => new URL(url).hostname;

describe('an address is on this machine', () => {
  test.each([
    'http://localhost:1',
    'http://127.0.0.1',
    'http://127.0.0.2:1',
    'http://[::1]:1',
    'http://id.localhost:5556',
  ])('%s', (url) => {
    expect(isThisMachine(hostOf(url))).toBe(true);
  });

  test.each([
    'http://example.com',
    'http://localhost.example.com',
    'http://notlocalhost',
    'http://127.0.0.1.example.com',
  ])('unlike %s', (url) => {
    expect(isThisMachine(hostOf(url))).toBe(false);
  });
});
