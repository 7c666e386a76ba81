/**
 * The text of --help: the options, and every variable with its default and its meaning.
 */
import { DESCRIBED, type DescribedVariable, wrapped } from './describe.ts';

const USAGE = `Holdfast reserves named resources over HTTP. It is configured by environment variables.

  --help          prints this
  --version       prints the version
  --check-config  checks the environment, prints what would start or every fault, and exits with 1 if there is one
`;

const WIDTH = 100;

const textOf = ({ name, default: usual, meaning }: DescribedVariable): string => {
  const head = usual === '' ? name : `${name} (default: ${usual})`;
  return [head, ...wrapped(meaning, WIDTH).map((line) => `    ${line}`)].map((line) => `  ${line}\n`).join('');
};

export const HELP = [
  USAGE,
  ...DESCRIBED.map(({ title, variables }) => `${title}\n\n${variables.map(textOf).join('')}`),
].join('\n');
