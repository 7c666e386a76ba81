/** The owner of the repository is one setting: `repository` of package.json. */
import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { files, repository, withRepository } from '../scripts/repository.ts';

test('every address names the owner of package.json; if not, run: npm run repository -- <owner>/<repository>', () => {
  const wanted = repository();
  const others = files().filter((file) => {
    const text = readFileSync(file, 'utf8');
    return text !== withRepository(text, wanted);
  });
  expect(others).toEqual([]);
});

test('each package says where its sources are', () => {
  const { repository: named } = JSON.parse(readFileSync('packages/client/package.json', 'utf8'));
  const url = `git+https://github.com/${repository()}.git`;
  expect(named).toEqual({ type: 'git', url, directory: 'packages/client' });
});

describe('a new repository is written into an address', () => {
  const name = repository().replace(/^.*\//, '');

  it.each([
    ['of the sources', (at: string) => `git+https://github.com/${at}.git`],
    ['for SSH', (at: string) => `git@github.com:${at}.git`],
    ['of a Go module', (at: string) => `module github.com/${at}/packages/go/holdfast`],
    ['of an action', (at: string) => `uses: ${at}/integrations/github-action@<commit>`],
    ['of a component', (at: string) => `component: gitlab.com/${at}/run@1`],
  ])('%s, whoever was the owner', (_, address) => {
    for (const owner of [repository().replace(/\/.*$/, ''), 'any-owner', '<owner>']) {
      expect(withRepository(address(`${owner}/${name}`), `Acme/${name}`)).toBe(address(`Acme/${name}`));
    }
  });

  it('of an image, in lower case', () => {
    const address = (at: string) => `ghcr.io/${at}:0.1.0-standalone`;
    for (const former of [repository(), 'any/locks'])
      expect(withRepository(address(former), 'Acme/Locks')).toBe(address('acme/locks'));
  });

  it('with another name', () => {
    const address = (at: string) => `https://github.com/${at}#readme`;
    expect(withRepository(address(repository()), 'acme/locks')).toBe(address('acme/locks'));
  });

  it.each(['https://github.com/lunarmodules/luacheck', `github.com/any/${name}-charts`, 'uses: actions/checkout@v5'])(
    'but not into %s',
    (text) => {
      expect(withRepository(text, 'acme/locks')).toBe(text);
    },
  );
});
