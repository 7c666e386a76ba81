/**
 * Writes THIRD_PARTY.md: every package that an installation of the service has, and those whose code is part of the
 * client, with their licences. Run by `npm run third-party`; a test fails if the file is not current.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

const ROOT = new URL('..', import.meta.url);

/** Licences under which code may be passed on with Holdfast. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]);

/** Packages whose code is in the build of the client or of the pages. */
const BUILT_IN = ['yaml', 'idiomorph', 'lucide-static'].map((name) => `node_modules/${name}`);

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      license: z.string().optional(),
      dev: z.boolean().default(false),
      link: z.boolean().default(false),
    }),
  ),
});

/**
 * Returns the page, as text.
 * @throws Error if a licence is not allowed
 */
export function thirdPartyPage(): string {
  const { packages } = Lock.parse(JSON.parse(readFileSync(new URL('package-lock.json', ROOT), 'utf8')));
  const passedOn = Object.entries(packages).filter(
    ([path, { dev, link }]) => path.startsWith('node_modules/') && !link && (!dev || BUILT_IN.includes(path)),
  );
  const rows = passedOn.map(([path, { version = '', license = 'none' }]) => {
    const name = path.replace(/^.*node_modules\//, '');
    if (!ALLOWED.has(license)) throw new Error(`${name} ${version} has the licence ${license}, which is not allowed`);
    return `| ${name} | ${version} | ${license} |`;
  });
  return `# Third-party packages

An installation of Holdfast has these packages; \`yaml\` is part of the client's command line, \`idiomorph\` and drawings of \`lucide-static\` of the dashboard. Optional packages for other platforms are listed, too.
Each package contains the text of its licence.

| package | version | licence |
| --- | --- | --- |
${[...new Set(rows)].sort().join('\n')}
`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(new URL('THIRD_PARTY.md', ROOT), thirdPartyPage());
