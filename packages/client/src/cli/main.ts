/** The command line `holdfast`: finds the command, and runs it. */
import manifest from '../../package.json' with { type: 'json' };
import { readArguments } from './arguments.ts';
import { COMMANDS } from './commands/index.ts';
import { EXIT, usageError } from './exitCodes.ts';
import { helpOf, overview } from './help.ts';
import type { Interrupts } from './interrupts.ts';
import { didYouMean, shown } from './nearest.ts';
import { print, say } from './output.ts';
import { runProgram } from './program.ts';

/** @returns the exit code */
async function main([name = '', ...argv]: readonly string[], interrupts: Interrupts): Promise<number> {
  if (name === '--version') return show(manifest.version);
  if (name === '--help' || name === '-h' || (name === 'help' && argv.length === 0)) return show(overview(COMMANDS));
  if (name === 'help') return main([argv[0] ?? '', '--help'], interrupts);
  const command = COMMANDS.find((known) => known.name === name);
  if (command === undefined) throw unknown(name);
  const args = readArguments(command, argv);
  if (args.has('help')) return show(helpOf(command));
  return command.run({ args, interrupts, signal: interrupts.signal });
}

function show(text: string): number {
  print(text.trimEnd());
  return EXIT.done;
}

/** Other names of commands. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ['delete', 'unregister'],
  ['deregister', 'unregister'],
  ['remove', 'unregister'],
  ['unlock', 'release'],
  ['unreserve', 'release'],
]);

/** Returns true if a word takes back what another one does: `unregister` is the opposite of `register`. */
const takesBack = (word: string) => /^(un|de)(?=re[gs])/.test(word);

function unknown(name: string): Error {
  if (name === '') return usageError('which command? `holdfast --help` lists them');
  if (name.startsWith('-')) return usageError(`the command comes first: holdfast <command> ${name}`);
  const meant = OTHER_WORDS.get(name) ?? name;
  const known = COMMANDS.map((command) => command.name).filter((one) => takesBack(one) === takesBack(meant));
  const hint = didYouMean(meant, known);
  return usageError(`${shown(name)} is not a command${hint || ';'} \`holdfast --help\` lists them`);
}

await runProgram((interrupts) => main(process.argv.slice(2), interrupts), say);
