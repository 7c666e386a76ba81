/**
 * Describes the environment variables by topic: what --help prints, and what .env.example and docs/configuration.md
 * contain.
 */
import { z } from 'zod';
import { TOPICS, Variables } from './variables.ts';

export interface DescribedVariable {
  readonly name: string;
  /** As it would be written in the environment; empty: none */
  readonly default: string;
  /** Sentences, and examples on lines of their own. */
  readonly meaning: string;
}

export interface DescribedTopic {
  readonly title: string;
  readonly variables: readonly DescribedVariable[];
}

const shape: Readonly<Record<string, z.ZodType>> = Variables.shape;

/** All variables, by topic. */
export const DESCRIBED: readonly DescribedTopic[] = TOPICS.map(({ title, names }) => ({
  title,
  variables: names.map((name) => ({
    name,
    default: defaultOf(shape[name]),
    meaning: shape[name]?.description ?? '',
  })),
}));

/** Lists and objects are empty by default. */
function defaultOf(schema: z.ZodType | undefined): string {
  const value = schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Returns true if a line of a meaning is an example: it begins with JSON, or it has two spaces in a row. */
export const isExample = (line: string): boolean => /^[[{]| {2}/.test(line);

/**
 * Breaks a text into lines.
 * @param width the maximum length of a line, in characters. A word that is longer, and an example, stay whole
 */
export function wrapped(text: string, width: number): readonly string[] {
  return text.split('\n').flatMap((line) => {
    if (isExample(line)) return [line];
    const lines: string[] = [];
    for (const word of line.split(' ')) {
      const last = lines.at(-1);
      if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
      else lines.push(word);
    }
    return lines;
  });
}

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

/** The text of --help: the options, and every variable with its default and its meaning. */
export const HELP = [
  USAGE,
  ...DESCRIBED.map(({ title, variables }) => `${title}\n\n${variables.map(textOf).join('')}`),
].join('\n');
