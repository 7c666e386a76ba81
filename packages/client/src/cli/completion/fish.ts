/** Writes the completion of `holdfast` for fish. */
import { HELP_OPTION, type Option } from '../arguments.ts';
import type { Command } from '../command.ts';
import { namesOf, type Offer, OTHER_WORDS, offerOf, placesOf } from './offers.ts';

/** fish takes all but these literally between single quotes. */
const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;

const BEGINNING = 'complete -c holdfast';

const wordsOf = (offer: Offer) => (offer === 'files' ? '-F' : `-f -a ${quoted(offer.join(' '))}`);

/** -r: it needs a value. */
const takesValue = (value: string) => `-r ${wordsOf(offerOf(value))}`;

const optionLine = (command: string, { name, short, value, text }: Option): string =>
  [
    `${BEGINNING} -n ${quoted(`__holdfast_is ${command}`)}`,
    ...(short === undefined ? [] : [`-s ${short}`]),
    `-l ${name}`,
    ...(value === undefined ? [] : [takesValue(value)]),
    `-d ${quoted(text)}`,
  ].join(' ');

function placeLines(command: Command): string[] {
  const valued = command.options.filter(({ value }) => value !== undefined).flatMap(namesOf);
  const line = (places: string, offer: Offer) => {
    const condition = ['__holdfast_at', command.name, places, ...valued].join(' ');
    return offer.length === 0 ? [] : [`${BEGINNING} -n ${quoted(condition)} ${wordsOf(offer)}`];
  };
  const { first, others } = placesOf(command);
  return [...first.flatMap((offer, i) => line(String(i), offer)), ...line(`${first.length}-`, others)];
}

const linesOf = (command: Command): string[] => [
  ...[...command.options, HELP_OPTION].map((option) => optionLine(command.name, option)),
  ...placeLines(command),
];

/** @returns a script: `holdfast completion fish > ~/.config/fish/completions/holdfast.fish` */
export function fishCompletion(commands: readonly Command[]): string {
  const names = commands.map(({ name, summary }) => `${BEGINNING} -n __holdfast_none -a ${name} -d ${quoted(summary)}`);
  const inner = commands
    .filter(({ takesCommand }) => takesCommand)
    .map(({ name }) => `${BEGINNING} -n '__holdfast_behind ${name}' -a '(__holdfast_inner)'`);
  return `\
# Completion of holdfast, for fish: holdfast completion fish > ~/.config/fish/completions/holdfast.fish
function __holdfast_none
    test (count (commandline -opc)) -eq 1
end

# The command is this one, and no -- stands before the cursor.
function __holdfast_is
    set -l words (commandline -opc)
    test "$words[2]" = $argv[1]; and not contains -- -- $words
end

# The same, and the cursor is at this place of the arguments: 0, or 1- for all from 1 on. The other arguments are the
# options that take a value.
function __holdfast_at
    __holdfast_is $argv[1]; or return
    set -l place 0
    set -l option
    for word in (commandline -opc)[3..]
        if set -q option[1]
            set -e option
        else if string match -qr -- '^-.' $word
            contains -- $word $argv[3..]; and set option $word
        else
            set place (math $place + 1)
        end
    end
    set -l wanted (string split -- - $argv[2])
    test $place -eq $wanted[1]; or begin
        set -q wanted[2]; and test $place -gt $wanted[1]
    end
end

# The cursor is behind the -- of this command.
function __holdfast_behind
    set -l words (commandline -opc)
    test "$words[2]" = $argv[1]; and contains -- -- $words
end

# The command line behind --, which the shell completes as if it stood alone.
function __holdfast_inner
    set -l words (commandline -opc)
    set -l at (contains -i -- -- $words)
    complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..]) (commandline -ct))
end

${BEGINNING} -f
${names.join('\n')}
${BEGINNING} -n __holdfast_none -a '${OTHER_WORDS.join(' ')}'
${BEGINNING} -n '__holdfast_at help 0' -a '${commands.map(({ name }) => name).join(' ')}'
${commands.flatMap(linesOf).join('\n')}
${inner.join('\n')}`;
}
