/**
 * Valkey 8 for tests: the one on the PATH, or Debian's package from bookworm-backports, unpacked into the home folder.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/freePort.ts';
import { type GuardedProcess, startGuarded } from '../../scripts/guardedProcess.ts';

const CACHE = join(homedir(), '.cache', 'holdfast', 'valkey');
const UNPACKED = join(CACHE, 'usr', 'bin', 'valkey-server');
/** Uses lists of packages of its own, so it needs no root, and changes nothing of the system. */
const UNPACK = `
set -e
. /etc/os-release
[ "$VERSION_CODENAME" = bookworm ]
mkdir -p lists/partial
echo 'deb http://deb.debian.org/debian bookworm-backports main' > backports.list
options="-o Dir::Etc::SourceParts=/dev/null -o Dir::Etc::SourceList=$PWD/backports.list -o Dir::State::Lists=$PWD/lists
  -o Acquire::Retries=0 -o Acquire::http::Timeout=10"
apt-get -qq $options update
apt-get -qq $options download valkey-server valkey-tools
for package in *.deb; do dpkg -x "$package" .; done
rm -r lists ./*.deb`;

const versionOf = (path: string) =>
  /v=(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))?.[1];

/** Returns the path of the program; null where there is none, and none can be downloaded. */
export function findValkey(): string | null {
  const isThere = (path: string) => {
    try {
      return Number(versionOf(path)) >= 8;
    } catch {
      return false;
    }
  };
  if (isThere('valkey-server')) return 'valkey-server';
  if (!existsSync(UNPACKED)) {
    mkdirSync(CACHE, { recursive: true });
    try {
      execFileSync('sh', ['-c', UNPACK], { cwd: CACHE, stdio: 'ignore', timeout: 60_000 });
    } catch {
      return null;
    }
  }
  return isThere(UNPACKED) ? UNPACKED : null;
}

/** Starts one at a port. Returns its address, too. */
export async function startValkey(path: string): Promise<GuardedProcess & { readonly url: string }> {
  const port = await freePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-valkey-'));
  const server = await startGuarded({ path, env: process.env }, folder, options, { port });
  return { ...server, url: `redis://127.0.0.1:${port}` };
}
