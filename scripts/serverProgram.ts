/**
 * Finds the program of a server for the default start, tests and benchmarks, or installs it with the system's package
 * manager: as root, with Homebrew, or on Debian without root by unpacking it into the home folder.
 */
import { execFileSync, type StdioOptions } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

/** Describes the program to find. */
export interface Wanted {
  /** The name in messages. */
  readonly title: string;
  readonly names: readonly string[];
  /** Folders to search besides the PATH. One asterisk stands for a name or its end, such as a version. */
  readonly folders: readonly string[];
  /** The option that prints the version; --version by default. */
  readonly versionOption?: string;
  /** Matches the output of that option. The first group is the major version. */
  readonly version: RegExp;
  readonly oldestMajor: number;
  /** The packages, by package manager. Several names have spaces between them. */
  readonly packages: Readonly<Record<'apt' | 'apk' | 'dnf' | 'brew', string>>;
  /** The folder below ~/.cache/holdfast that it is unpacked into without root. */
  readonly cache: string;
  /** Advice if it cannot be installed: the end of error messages. */
  readonly byHand: string;
}

/** A program and the environment to run it in, which contains the path of unpacked libraries. */
export interface Program {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Finds a program that is recent enough, or installs it.
 * @param wanted the program
 * @param say called with a line of text when something is installed
 * @throws Error with the reason and what to do, if there is none
 */
export function findOrInstall(wanted: Wanted, say: (line: string) => void): Program {
  return findProgram(wanted) ?? install(wanted, say);
}

/** Only the output counts: a program may lack what its version option asks for. */
const QUIET: StdioOptions = ['ignore', 'pipe', 'ignore'];

const cacheOf = ({ cache }: Wanted): string => join(homedir(), '.cache', 'holdfast', cache);

const onPath = (): readonly string[] => (process.env.PATH ?? '').split(delimiter);

/** Finds a program that is recent enough. Returns undefined if there is none. */
export function findProgram(wanted: Wanted): Program | undefined {
  const elsewhere = [...wanted.folders, ...wanted.folders.map((folder) => join(cacheOf(wanted), folder))];
  const folders = [...onPath(), ...elsewhere.flatMap(expand)];
  const env = libraries(cacheOf(wanted));
  const path = wanted.names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((candidate) => isRecent(candidate, env, wanted));
  return path === undefined ? undefined : { path, env };
}

/** Returns the folders that match a pattern, the latest version first. */
function expand(pattern: string): readonly string[] {
  const [start = '', end] = pattern.split('*');
  if (end === undefined) return [pattern];
  const parent = dirname(`${start}*`);
  const paths = existsSync(parent) ? readdirSync(parent).map((name) => join(parent, name)) : [];
  const byVersion = new Intl.Collator('en', { numeric: true });
  return paths
    .filter((path) => path.startsWith(start))
    .sort((a, b) => byVersion.compare(b, a))
    .map((path) => join(path, end));
}

function isRecent(
  path: string,
  env: NodeJS.ProcessEnv,
  { version, versionOption = '--version', oldestMajor }: Wanted,
): boolean {
  try {
    accessSync(path, constants.X_OK);
    const [, major] = version.exec(execFileSync(path, [versionOption], { encoding: 'utf8', env, stdio: QUIET })) ?? [];
    return Number(major) >= oldestMajor;
  } catch {
    return false;
  }
}

/** Returns the environment in which an unpacked server finds its libraries. */
function libraries(cache: string): NodeJS.ProcessEnv {
  const usr = join(cache, 'usr', 'lib');
  if (!existsSync(usr)) return process.env;
  const folders = [usr, ...readdirSync(usr).map((name) => join(usr, name))];
  return {
    ...process.env,
    LD_LIBRARY_PATH: [process.env.LD_LIBRARY_PATH, ...folders].filter(Boolean).join(delimiter),
  };
}

/** A simulated installation lists the missing packages without root. */
const DOWNLOAD = `shown=$(apt-get install -s -q --reinstall --no-install-recommends "$@") &&
apt-get download -qq $(echo "$shown" | sed -n 's/^Inst \\([^ ]*\\).*/\\1/p')`;

/** Two apt-get at a time fail at each other's locks. */
const ONE_AT_A_TIME = ['flock', join(tmpdir(), 'holdfast-apt-get.lock')] as const;

interface Installer {
  /** The program of the package manager. */
  readonly program: string;
  /** True if it needs root. */
  readonly root: boolean;
  readonly commands: readonly (readonly string[])[];
}

/** Ways to install. The first one that applies is used. */
const installers = ({ packages }: Wanted): readonly Installer[] => [
  {
    program: 'apt-get',
    root: true,
    commands: [
      [...ONE_AT_A_TIME, 'apt-get', 'update', '-qq'],
      [...ONE_AT_A_TIME, 'apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...packages.apt.split(' ')],
    ],
  },
  { program: 'apk', root: true, commands: [['apk', 'add', '--no-cache', ...packages.apk.split(' ')]] },
  { program: 'dnf', root: true, commands: [['dnf', 'install', '-y', '-q', ...packages.dnf.split(' ')]] },
  { program: 'brew', root: false, commands: [['brew', 'install', '--quiet', ...packages.brew.split(' ')]] },
  {
    program: 'apt-get',
    root: false,
    commands: [
      ['sh', '-c', DOWNLOAD, 'sh', ...packages.apt.split(' ')],
      ['sh', '-c', 'for package in *.deb; do dpkg -x "$package" . && rm "$package"; done'],
    ],
  },
];

function install(wanted: Wanted, say: (line: string) => void): Program {
  const { title, oldestMajor, byHand } = wanted;
  const isRoot = process.getuid?.() === 0;
  const has = (program: string) => onPath().some((folder) => existsSync(join(folder, program)));
  const installer = installers(wanted).find(({ program, root }) => has(program) && (isRoot || !root));
  if (installer === undefined) throw new Error(`${title} was not found on this machine: ${byHand}`);
  say(`${title} was not found on this machine. Installing it with ${installer.program}`);
  const cwd = cacheOf(wanted);
  mkdirSync(cwd, { recursive: true });
  try {
    for (const [command = '', ...args] of installer.commands) {
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
      execFileSync(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
    }
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    throw new Error(`${title} could not be installed (${stderr.trim().split('\n').at(-1)}): ${byHand}`);
  }
  const program = findProgram(wanted);
  if (program === undefined) throw new Error(`the ${title} that was installed is older than ${oldestMajor}: ${byHand}`);
  return program;
}
