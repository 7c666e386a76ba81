/** The documents of this repository: what users and developers read. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

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
  ...filesIn('docs').filter((file) => file.endsWith('.md')),
];
