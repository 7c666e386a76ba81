/**
 * The commands that people type in Slack, and those of buttons (docs/specification.md#reserving-from-slack). A resource
 * may be called "release", so the verb is required.
 */
import { z } from 'zod';
import { durationOf } from '../domain/durations.ts';
import { unescapeSlack } from '../domain/slackText.ts';

const resource = z.string();
const seconds = z.number().optional();

const Command = z.discriminatedUnion('verb', [
  z.object({ verb: z.literal('help') }),
  z.object({ verb: z.literal('link') }),
  z.object({ verb: z.literal('mine') }),
  z.object({ verb: z.literal('who'), resource }),
  z.object({ verb: z.literal('release'), resource }),
  /** `seconds`: how much longer */
  z.object({ verb: z.literal('extend'), resource, seconds }),
  /** `seconds`: how long; absent: as long as the dashboard suggests */
  z.object({ verb: z.literal('reserve'), resource, seconds, note: z.string().optional() }),
]);

export type Command = z.infer<typeof Command>;

/** A text that is no command. */
export interface Misunderstood {
  readonly fault: string;
}

/** The value of the button that does what a command does. */
export const buttonValue = (command: Command): string => JSON.stringify(command);

/** Reads the value of a button; null: it is none of ours */
export function commandOf(value: string): Command | null {
  try {
    return Command.safeParse(JSON.parse(value)).data ?? null;
  } catch {
    return null;
  }
}

/** A word, or words in quotes: some keyboards make curly ones. */
const TOKEN = /\s*(?:["“”]([^"“”]*)["“”](?=\s|$)|(\S+))/y;

interface Token {
  readonly text: string;
  readonly isQuoted: boolean;
  /** Where the rest begins. */
  readonly end: number;
}

function tokenAt(text: string, from: number): Token | null {
  TOKEN.lastIndex = from;
  const [, quoted, word] = TOKEN.exec(text) ?? [];
  const found = quoted ?? word;
  return found === undefined ? null : { text: found, isQuoted: quoted !== undefined, end: TOKEN.lastIndex };
}

/** Reads what follows `/holdfast`, as Slack sends it. */
export function parseCommand(sent: string): Command | Misunderstood {
  const text = unescapeSlack(sent).trim();
  const first = tokenAt(text, 0);
  const verb = first?.text.toLowerCase() ?? 'help';
  const end = first?.end ?? 0;
  switch (verb) {
    case 'help':
    case 'link':
    case 'mine':
      return { verb };
    case 'who':
    case 'release':
    case 'extend':
    case 'reserve':
      return aboutResource(verb, text, end);
    default:
      return { fault: `There is no command “${verb}”.` };
  }
}

type VerbOfResource = 'who' | 'release' | 'extend' | 'reserve';

function aboutResource(verb: VerbOfResource, text: string, from: number): Command | Misunderstood {
  const named = tokenAt(text, from);
  if (named === null || named.text === '') return { fault: `Say the name of the resource: \`${verb} staging\`.` };
  if (!named.isQuoted && /^["“”]/.test(named.text)) return { fault: 'A quote is not closed.' };
  const of = { resource: named.text };
  const next = tokenAt(text, named.end);
  if (verb === 'who' || verb === 'release') return next === null ? { verb, ...of } : tooMany(verb, named.text);
  const seconds = next === null || next.isQuoted ? null : durationOf(next.text);
  if (seconds === 0) return { fault: 'The time must be more than nothing.' };
  const length = seconds === null ? {} : { seconds };
  const rest = text.slice(seconds === null ? named.end : next?.end).trim();
  if (verb === 'extend') {
    if (rest !== '') return { fault: `“${rest}” is no time: write \`30m\`, \`2h\`, \`1h30m\` or \`1d\`.` };
    return { verb, ...of, ...length };
  }
  const note = rest.replace(/^["“”]([^"“”]*)["“”]$/, '$1');
  return { verb, ...of, ...length, ...(note !== '' && { note }) };
}

const tooMany = (verb: string, name: string): Misunderstood => ({
  fault: `Names with spaces need quotes: \`${verb} "${name} …"\`.`,
});
