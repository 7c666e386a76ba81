/**
 * Where this repository is on GitHub: `repository` of package.json is the one setting. Every other address with its
 * owner is a copy, which `npm run repository` writes. A test fails if one names another owner.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COMMAND = 'npm run repository -- <owner>/<repository>';

const Manifest = z.object({ repository: z.object({ url: z.string() }) });

/**
 * Returns the owner and the name of the repository, as `owner/name`.
 * @throws Error if package.json has no address on GitHub
 */
export function repository(): string {
  const { url } = Manifest.parse(JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))).repository;
  const [, found] = /^git\+https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\.git$/.exec(url) ?? [];
  if (found === undefined) throw new Error(`package.json: repository.url is no address on GitHub. Run: ${COMMAND}`);
  return found;
}

/**
 * Returns a text whose addresses of this repository name another one: on GitHub, GitLab, of a Go module, of an
 * action, and of an image. Names of images are in lower case.
 * @param text whose addresses have any owner, and this repository's name or the new one
 * @param wanted `owner/name`
 */
export function withRepository(text: string, wanted: string): string {
  const known = [repository(), wanted].map((each) => each.replace(/^.*\//, '').replaceAll('.', '\\.'));
  const names = known.flatMap((name) => [name, name.toLowerCase()]);
  const address = new RegExp(
    `((?:git(?:hub|lab)\\.com[/:]|(ghcr\\.io)/|\\buses: ))[^/\\s\`"']+/(?:${names.join('|')})(?![\\w-])`,
    'g',
  );
  return text.replace(address, (_, before: string, image?: string) => {
    return before + (image === undefined ? wanted : wanted.toLowerCase());
  });
}

/** The files of the repository with text, as paths from its root: all that git has or would add. */
export function files(): readonly string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const { stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const isText = (file: string) => file !== '' && !/\.(png|svg|ico|woff2?)$/.test(file);
  const isThere = (file: string) => statSync(ROOT + file, { throwIfNoEntry: false })?.isFile() === true;
  return stdout.split('\0').filter((file) => isText(file) && isThere(file));
}

if (process.argv[1] === import.meta.filename) {
  const [wanted = ''] = process.argv.slice(2);
  if (!/^[\w.-]+\/[\w.-]+$/.test(wanted)) throw new Error(`Name the repository: ${COMMAND}`);
  for (const file of files()) {
    const text = readFileSync(ROOT + file, 'utf8');
    const changed = withRepository(text, wanted);
    if (changed !== text) {
      writeFileSync(ROOT + file, changed);
      console.log(file);
    }
  }
}
