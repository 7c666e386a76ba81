/**
 * Makes .env.example: every variable by topic, with its default and its meaning, as --help has them. For
 * `npm run generate`.
 */
import { DESCRIBED, type DescribedVariable, wrapped } from '../src/config/help.ts';
import { PRODUCTION } from './productionExample.ts';

const HEAD = `# Made by \`npm run generate\` from src/config/variables.ts. Copy this file to .env and change what you need.
# \`npm start\` reads .env. An empty variable counts as unset. \`npm start -- --check-config\` checks what is set.

# For production, this is the least. Every other variable has a default that fits, or is for a feature that is off.
#
${Object.entries(PRODUCTION)
  .map(([name, value]) => `#   ${name}=${value}\n`)
  .join('')}`;

const WIDTH = 116;

const textOf = ({ name, default: usual, meaning }: DescribedVariable): string => {
  const lines = wrapped(meaning, WIDTH).map((line) => `# ${line}\n`);
  return `${lines.join('')}${name}=${usual}\n`;
};

/** The file, as text. */
export const envExample = (): string =>
  [HEAD, ...DESCRIBED.flatMap(({ title, variables }) => [`# ===== ${title} =====\n`, ...variables.map(textOf)])].join(
    '\n',
  );
