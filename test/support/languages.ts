/** Programs that tests of the clients in other languages need. Fast tests take them if they are there. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { findOrInstall, findProgram, type Wanted } from '../../scripts/serverProgram.ts';

/** What a machine needs for the tests of all clients: CONTRIBUTING.md has the same line. */
const BY_HAND =
  'apt-get install python3-httpx python3-pytest python3-pytest-xdist python3-anyio mypy golang-go faketime';

/** Python with the packages that the client and its tests import. */
export const PYTHON: Wanted = {
  title: 'Python 3.11 with httpx, pytest and mypy',
  names: ['python3'],
  folders: ['/usr/bin'],
  versionOption: '-cimport anyio, httpx, mypy, pytest, sys, xdist; print(sys.version)',
  version: /^3\.(\d+)/,
  oldestMajor: 11,
  packages: {
    apt: 'python3-httpx python3-anyio python3-pytest python3-pytest-xdist mypy',
    apk: 'python3 py3-httpx py3-anyio py3-pytest py3-pytest-xdist mypy',
    dnf: 'python3-httpx python3-anyio python3-pytest python3-pytest-xdist python3-mypy',
    brew: 'python',
  },
  cache: 'python',
  byHand: BY_HAND,
};

const GO: Wanted = {
  title: 'Go 1.19',
  names: ['go'],
  folders: ['/usr/local/go/bin', '/usr/lib/go-*/bin', '/opt/homebrew/bin'],
  versionOption: 'version',
  version: /go1\.(\d+)/,
  oldestMajor: 19,
  packages: { apt: 'golang-go', apk: 'go', dnf: 'golang', brew: 'go' },
  cache: 'go',
  byHand: BY_HAND,
};

const FAKETIME: Wanted = {
  title: 'libfaketime',
  names: ['faketime'],
  folders: ['/usr/bin'],
  version: /Version (\d+)/,
  oldestMajor: 0,
  packages: { apt: 'faketime', apk: 'libfaketime', dnf: 'libfaketime', brew: 'libfaketime' },
  cache: 'faketime',
  byHand: BY_HAND,
};

/** Writes a line when something is installed. */
export const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Finds or installs a program, once in a worker. */
function toolOf(wanted: Wanted) {
  let found: string | undefined;
  return {
    /** True if it is on this machine. Nothing is installed. */
    isReady: () => findProgram(wanted) !== undefined,
    /** Returns its path. @throws Error that says what to install, if it is missing and cannot be installed */
    path: () => {
      found ??= findOrInstall(wanted, say).path;
      return found;
    },
  };
}

export const python = toolOf(PYTHON);
export const go = toolOf(GO);
const faketime = toolOf(FAKETIME);

/**
 * The environment of a process whose wall clock is set by a file: `+100` sets it forward by 100 s. The monotonic clock
 * goes on.
 * @throws Error if libfaketime cannot be installed
 */
export function fakeClock(file: string): Record<string, string> {
  const library = execFileSync(faketime.path(), ['-m', '-f', '+0', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' });
  return {
    LD_PRELOAD: library.trim(),
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

/** Removes what libfaketime leaves of a process that was killed: one of the same id could not start. */
export function forgetFakeClock(pid: number): void {
  for (const name of [`sem.faketime_sem_${pid}`, `faketime_shm_${pid}`]) rmSync(`/dev/shm/${name}`, { force: true });
}
