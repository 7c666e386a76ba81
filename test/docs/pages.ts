/** The service that the examples of a page are run against: one without a database, unless the page needs another. */

import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { freePort } from '../../scripts/freePort.ts';
import { findOrInstall, type Wanted } from '../../scripts/serverProgram.ts';
import { SCOPES } from '../../src/domain/rights.ts';
import { type ManagementToken, TOKENS, tokenContent } from '../support/managementTokens.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { databaseEnv, makeStore, signIn, storeTenant } from '../support/tenancy.ts';

export interface Started {
  readonly service: Instance;
  /** Further variables of the examples. */
  readonly env: Readonly<Record<string, string>>;
  /** Texts of the page that stand for something else here. */
  readonly stands?: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

async function withoutDatabase(): Promise<Started> {
  // Both roles: streams get the events of expired leases.
  const service = await startInstance({ env: { ROLE: 'all' } });
  return { service, env: {}, stop: service.stop };
}

/** HOLDFAST_TOKEN is a management token with all scopes. */
async function withDatabase(): Promise<Started> {
  const store = await makeStore();
  const own = await storeTenant(store, 'Starter');
  const service = await startInstance({ keys: [own], env: databaseEnv(store.url) });
  const owner = await signIn(store.redis, own.tenant);
  const content = { ...tokenContent(SCOPES), label: 'terraform' };
  const { token } = (await owner.request<ManagementToken>(service.url, 'POST', TOKENS, content)).body;
  return {
    service,
    env: { HOLDFAST_TOKEN: token, DATABASE_URL: store.url, REDIS_URL: inject('redisUrl') },
    stop: async () => {
      await service.stop();
      await store.close();
    },
  };
}

/** It trusts the provider of JWTs that the page starts at port 9000. */
async function trustingProvider(): Promise<Started> {
  const tenant = makeTenant();
  const port = String(await freePort());
  const issuer = { tenant, id: 'my-product', conditions: {}, issuer: 'https://id.example', audience: 'my-product' };
  const issuers = [{ ...issuer, jwksUrl: `http://127.0.0.1:${port}/jwks` }];
  const env = { JWKS_ALLOW_PRIVATE: 'true', JWT_ISSUERS: JSON.stringify(issuers) };
  const service = await startInstance({ keys: [makeConfiguredKey(tenant)], env });
  return {
    service,
    env: {},
    stands: { 9000: port, '"tenant": "local"': `"tenant": "${tenant}"`, "tenant: 'local'": `tenant: '${tenant}'` },
    stop: service.stop,
  };
}

/** Pages that need more than a key. */
const OTHERS: Readonly<Record<string, () => Promise<Started>>> = {
  'docs/specification.md': withDatabase,
  'docs/guides/automation.md': withDatabase,
  'docs/guides/end-users.md': trustingProvider,
};

export const startFor = (page: string): Promise<Started> => (OTHERS[page] ?? withoutDatabase)();

/** The documents of this repository: what users and developers read. */

const ROOT = join(import.meta.dirname, '../..');
const TEXT = /\.(ts|tsx|lua|js|css|sql|ya?ml|cfg|example|md)$/;

/** Files with text in a folder of this repository, by their paths from its root. */
export const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && TEXT.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .filter((file) => !file.startsWith('docs/.vitepress/'));

const inRoot = readdirSync(ROOT).filter((file) => file.endsWith('.md') && file !== 'THIRD_PARTY.md');

export const documents: readonly string[] = [
  ...inRoot,
  'packages/client/README.md',
  'packages/python/README.md',
  'packages/go/holdfast/README.md',
  ...filesIn('integrations').filter((file) => file.endsWith('.md')),
  ...filesIn('docs').filter((file) => file.endsWith('.md')),
];

/** Programs that the examples call besides the service's own: found, or installed with the system's package manager. */

const toolOf = (name: string, version: RegExp): Wanted => ({
  title: name,
  names: [name],
  folders: ['usr/bin'],
  version,
  oldestMajor: 0,
  packages: { apt: name, apk: name, dnf: name, brew: name },
  cache: name,
  byHand: `install ${name}`,
});

const TOOLS = [toolOf('curl', /curl (\d+)/), toolOf('jq', /jq-(\d+)/)];

/** @returns the variables that a shell needs to find them */
export function toolsEnv(): { PATH: string; LD_LIBRARY_PATH?: string } {
  const found = TOOLS.map((tool) => findOrInstall(tool, (line) => process.stdout.write(`${line}\n`)));
  const libraries = found.flatMap(({ env }) => env.LD_LIBRARY_PATH ?? []);
  return {
    PATH: found.map(({ path }) => dirname(path)).join(':'),
    ...(libraries.length === 0 ? {} : { LD_LIBRARY_PATH: libraries.join(':') }),
  };
}
