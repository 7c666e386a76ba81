/**
 * Makes docs/configuration.md: every variable by topic, with its default and its meaning, as --help has them. For
 * `npm run generate`.
 */
import { z } from 'zod';
import { readConfig } from '../src/config/config.ts';
import { misspelt, VARIABLES } from '../src/config/environment.ts';
import { DESCRIBED, type DescribedTopic, type DescribedVariable, isExample, wrapped } from '../src/config/help.ts';
import { reportOf } from '../src/config/report.ts';
import { Variables } from '../src/config/variables.ts';
import { PRODUCTION } from './productionExample.ts';

/** Links about the variables of a topic. */
const SEE: Readonly<Record<string, string>> = {
  'The instance': '[Deploy](operations/deploy.md) explains roles, probes, proxies and the end of an instance.',
  Redis: '[Redis](operations/redis.md) compares topologies.',
  'The database': '[The database](operations/database.md) compares the modes.',
  'Signing in to the dashboard': '[Sign-in](operations/sign-in.md) sets up each way.',
  'Tenants without a database':
    'Not with `DATABASE_URL`. [Without a database](specification.md#without-a-database) has the rules.',
  'Logs and traces': '[Monitoring](operations/monitoring.md).',
  Limits: '[Limits](specification.md#limits), [Overload](operations/overload.md).',
  'Maximum sizes of requests':
    '[Names and sizes](specification.md#names-and-sizes) has all rules. Larger sizes cost Redis time that other callers wait for.',
};

const WIDTH = 120;

const names = new Set(DESCRIBED.flatMap(({ variables }) => variables.map(({ name }) => name)));
const link = (name: string) => `[\`${name}\`](#${name.toLowerCase()})`;

/** Matches what a description shows as code, such as `<address>`, `/healthz`, `ADMINS` and `npm start`. */
const CODE = new RegExp(
  [
    /<\w[^>]*>[\w/]*/,
    /\b\w+(?:\+\w+)?:(?:\/\/[\w.:/@]*[\w/]|<\w+>)/,
    /(?:GET )?(?<![\w:/])\/\w+/,
    /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b(?:HOST|PORT|ROLE|ADMINS|MEMBERS|TIERS)\b/,
    /maxmemory-policy noeviction|npm start|X-Forwarded-For|\b(?:ttl|wait)Seconds\b|resourceType/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** Names of variables become links; addresses, paths and assignments become code. */
const marked = (text: string, own: string): string =>
  text.replace(CODE, (token) => (names.has(token) && token !== own ? link(token) : `\`${token}\``));

const Values = z.object({
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});

/** The values that a variable may have, if they are a few words or a range of integers. */
function valuesOf(name: string): string {
  const schema = z.toJSONSchema(Variables, { io: 'output', unrepresentable: 'any' }).properties?.[name];
  const { enum: words, minimum, maximum } = Values.parse(schema);
  if (words !== undefined) return ` Values: ${words.map((word) => `\`${word}\``).join(', ')}.`;
  const shown = (limit: number | undefined) => limit?.toLocaleString('en-US');
  return maximum === undefined ? '' : ` Values: ${shown(minimum)} to ${shown(maximum)}.`;
}

function section({ name, default: usual, meaning }: DescribedVariable): string {
  const lines = meaning.split('\n');
  const prose = lines.filter((line) => !isExample(line)).map((line) => marked(line, name));
  const examples = lines.filter(isExample);
  const usually = usual === '' ? '' : ` Default: \`${usual}\`.`;
  const block = examples.length === 0 ? '' : `\n\`\`\`text\n${examples.join('\n')}\n\`\`\`\n`;
  const text = wrapped(`${prose.join(' ')}${usually}${valuesOf(name)}`, WIDTH).join('\n');
  return `### \`${name}\`\n\n${text}\n${block}`;
}

const topicOf = ({ title, variables }: DescribedTopic): string =>
  [`## ${title}\n`, `${SEE[title] ?? ''}\n`, ...variables.map(section)].join('\n').replace(/\n{3,}/g, '\n\n');

const head = `# Configuration

Holdfast is configured by environment variables.

This is the least that a production instance needs:

\`\`\`sh excerpt
${Object.entries(PRODUCTION)
  .map(([name, value]) => `${name}=${value}`)
  .join('\n')}
\`\`\`

\`node dist/main.js --check-config\` reads it, connects to nothing, and prints what would start:

\`\`\`text
${reportOf(readConfig({ ...PRODUCTION, KEY_SECRET: 'x'.repeat(32) })).trimEnd()}
\`\`\`

This page is made by \`npm run generate\` from \`src/config/variables.ts\`. Do not edit it.

## How variables are read

- \`node dist/main.js\` and the [image](operations/deploy.md#the-image) read the environment. \`npm start\` also reads a file \`.env\` in the
  current folder ([.env.example](../.env.example)), and needs nothing: it runs a private Redis, makes a tenant
  \`local\`, and prints its key.
- \`node --env-file=holdfast.env dist/main.js --check-config\` checks a file.
- An empty variable counts as unset. A change needs a restart.
- A faulty configuration ends the start with exit code 1. One message names the faults, and never repeats a value.
  Check again after you have corrected them: a variable that another one requires may be named only then.
- A name that is one slip away from one of these is reported: \`${misspelt(['REDIS_ULR'], VARIABLES).join()}\`
- \`--help\` lists every variable, \`--version\` prints the version. Options of \`npm start\` go behind \`--\`.
`;

/** The page, as text. */
export const configurationPage = (): string => [head, ...DESCRIBED.map(topicOf)].join('\n');
