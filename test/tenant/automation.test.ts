/**
 * The commands of docs/guides/automation.md run as they are, in order, and print what stands below them.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCOPES } from '../../src/domain/rights.ts';
import { type ManagementToken, TOKENS, tokenContent } from '../support/managementTokens.ts';
import { type Instance, startInstance } from '../support/service.ts';
import {
  databaseEnv,
  KINDS,
  type OpenStore,
  openStore,
  signIn,
  storeTenant,
  type TestDatabase,
} from '../support/tenancy.ts';

const run = promisify(execFile);
const END_OF_BLOCK = '-- end of block --';
/** Commands, and what they print if the document shows it. */
const BLOCKS = /^```sh\n(.*?)^```\n(?:\n^```\n(.*?)^```\n)?/gms;

let made: TestDatabase;
let store: OpenStore;
let service: Instance;
let token: string;
let folder: string;
beforeAll(async () => {
  made = await KINDS.Postgres();
  store = await openStore(made.url);
  const own = await storeTenant(store, 'Starter');
  service = await startInstance({ keys: [own], env: databaseEnv(made.url) });
  const owner = await signIn(store.redis, own.tenant);
  const content = { ...tokenContent(SCOPES), label: 'terraform' };
  ({ token } = (await owner.request<ManagementToken>(service.url, 'POST', TOKENS, content)).body);
  folder = await mkdtemp(join(tmpdir(), 'holdfast-automation-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await service.stop();
  await store.close();
  await made.drop();
});

/** Times differ, and the document breaks long lines. */
const comparable = (printed: string) => printed.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>').replace(/\s+/g, '');

test('the commands of docs/guides/automation.md print what it says', async () => {
  const blocks = [...(await readFile('docs/guides/automation.md', 'utf8')).matchAll(BLOCKS)];
  const script = blocks.map(([, commands = '']) => `${commands}echo '${END_OF_BLOCK}'\n`).join('');
  const env = { PATH: process.env.PATH, HOLDFAST_URL: service.url, HOLDFAST_TOKEN: token };
  const { stdout } = await run('bash', ['-euc', script], { cwd: folder, env });
  const printed = stdout.split(END_OF_BLOCK).slice(0, -1).map(comparable);
  expect(printed).toEqual(blocks.map(([, , shown = '']) => comparable(shown)));
  expect(printed.length).toBeGreaterThan(4);
});
