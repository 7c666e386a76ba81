/**
 * `npm run release:plan`: what a run of .github/workflows/release.yml publishes. The service, if the run is for a tag;
 * each client whose version is not published yet. Refuses a tag, or a repository, that the files do not name. Prints
 * its answers as `name=value`, also for the later jobs of the workflow.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { repository } from '../repository.ts';

const ROOT = new URL('../..', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, ROOT), 'utf8');

const Manifest = z.object({ name: z.string(), version: z.string() });

/** A package that is published under a version of its own. */
export interface Published {
  readonly name: string;
  readonly version: string;
}

/** Where a version is in its registry, if it is published: addresses that answer 200 or 404. */
export const ADDRESSES = {
  client: ({ name, version }: Published) => `https://registry.npmjs.org/${name.replace('/', '%2f')}/${version}`,
  python: ({ name, version }: Published) => `https://pypi.org/pypi/${name}/${version}/json`,
};

/** Go has no registry: a version is a tag of the repository, which begins with the folder of the module. */
export const goTag = ({ version }: Published) => `packages/go/holdfast/v${version}`;

/** Returns what the pattern captures in a file. @throws Error if it is not there */
function found(file: string, pattern: RegExp): string {
  const [, text] = pattern.exec(read(file)) ?? [];
  if (text === undefined) throw new Error(`${file} has no ${pattern.source}`);
  return text;
}

/**
 * Reads which clients the files of this repository have, and their versions.
 * @throws Error if a file names none
 */
export function packages(): Readonly<Record<'client' | 'python' | 'go', Published>> {
  const python = 'packages/python/pyproject.toml';
  const go = 'packages/go/holdfast';
  return {
    client: Manifest.parse(JSON.parse(read('packages/client/package.json'))),
    python: { name: found(python, /^name = "(.*)"$/m), version: found(python, /^version = "(.*)"$/m) },
    go: {
      name: found(`${go}/go.mod`, /^module (.*)$/m),
      version: found(`${go}/version.go`, /^const Version = "(.*)"$/m),
    },
  };
}

/**
 * Tells whether a repository has a tag.
 * @param remote its address, or the name of a remote of this clone
 * @throws Error if it does not answer
 */
export function hasTag(remote: string, tag: string): boolean {
  const args = ['ls-remote', '--exit-code', '--tags', remote, `refs/tags/${tag}`];
  const { status, stderr } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0 && status !== 2) throw new Error(`git ls-remote ${remote}: ${stderr}`);
  return status === 0;
}

/**
 * Tells whether a version is published.
 * @param address of the version in its registry
 * @throws Error if the registry answers neither 200 nor 404
 */
export async function isPublished(address: string): Promise<boolean> {
  const { ok, status } = await fetch(address);
  if (!ok && status !== 404) throw new Error(`${address} answered ${status}: run the workflow again`);
  return ok;
}

/**
 * Says why a run may publish nothing.
 * @param tag of the service, such as v0.2.0; null: the run is for the clients alone
 * @param named the repository that runs the workflow, as `owner/name`
 * @param changelog the text of CHANGELOG.md
 * @returns what to change; empty: nothing
 */
export function refusals(tag: string | null, named: string, changelog: string): readonly string[] {
  const { version } = Manifest.parse(JSON.parse(read('package.json')));
  const isDated = new RegExp(`^## ${version.replaceAll('.', '\\.')} - \\d{4}-\\d{2}-\\d{2}$`, 'm').test(changelog);
  return [
    ...(named === repository() ? [] : [`the addresses name ${repository()}: npm run repository -- ${named}`]),
    ...(tag === null || tag === `v${version}`
      ? []
      : [`package.json has version ${version}, not that of the tag ${tag}`]),
    ...(tag === null || isDated ? [] : [`CHANGELOG.md has no heading "## ${version} - <date>"`]),
  ];
}

if (process.argv[1] === import.meta.filename) {
  const { GITHUB_REPOSITORY = repository(), GITHUB_REF_TYPE, GITHUB_REF_NAME = '', GITHUB_OUTPUT } = process.env;
  const tag = GITHUB_REF_TYPE === 'tag' ? GITHUB_REF_NAME : null;
  const reasons = refusals(tag, GITHUB_REPOSITORY, read('CHANGELOG.md'));
  if (reasons.length > 0) throw new Error(reasons.join('\n'));
  const { version } = Manifest.parse(JSON.parse(read('package.json')));
  const lines = [`image=ghcr.io/${repository().toLowerCase()}`, `version=${version}`];
  const { client, python, go } = packages();
  const tagOfGo = goTag(go);
  lines.push(
    `client=${!(await isPublished(ADDRESSES.client(client)))}`,
    `python=${!(await isPublished(ADDRESSES.python(python)))}`,
    `go=${!hasTag('origin', tagOfGo)}`,
    `tag=${tagOfGo}`,
  );
  console.log(lines.join('\n'));
  if (GITHUB_OUTPUT) appendFileSync(GITHUB_OUTPUT, `${lines.join('\n')}\n`);
}
