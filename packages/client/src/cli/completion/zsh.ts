/** Writes the completion of `holdfast` for zsh. */
import { HELP_OPTION, type Option } from '../arguments.ts';
import type { Command } from '../command.ts';
import { type Offer, OTHER_WORDS, offerOf, placesOf } from './offers.ts';

/** As the shell takes it literally. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A space: nothing is offered. */
const actionOf = (offer: Offer): string =>
  offer === 'files' ? '_files' : offer.length === 0 ? ' ' : `(${offer.join(' ')})`;

const escaped = (text: string, special: RegExp) => text.replace(special, '\\$&');

/** An option for `_arguments`: `'(-f --file)'{-f,--file=}'[YAML or JSON]:<file>:_files'` */
function optionSpec({ name, short, value, multiple, text }: Option): string {
  const long = `--${name}${value === undefined ? '' : '='}`;
  const what = value === undefined ? '' : `:${escaped(value, /:/g)}:${actionOf(offerOf(value))}`;
  const rest = quoted(`[${escaped(text, /[[\]:\\]/g)}]${what}`);
  if (short !== undefined) return `'(-${short} --${name})'{-${short},${long}}${rest}`;
  return `${multiple === true ? quoted('*') : ''}${long}${rest}`;
}

/** The last one is there for all: without it, nothing more is offered behind an argument, not even options. */
function placeSpecs(command: Command): string[] {
  const { first, others } = placesOf(command);
  const specs = first.map((offer, i) => quoted(`${i + 1}:argument:${actionOf(offer)}`));
  return [...specs, quoted(`*:argument:${actionOf(others)}`)];
}

function commandCase(command: Command): string {
  const specs = [...command.options, HELP_OPTION].map(optionSpec);
  const all = [...specs, ...placeSpecs(command)].map((spec) => ` \\\n        ${spec}`);
  return `    ${command.name})\n      _arguments${all.join('')}\n      ;;\n`;
}

/** @returns a script for a folder of `$fpath`, or for `source <(holdfast completion zsh)` */
export function zshCompletion(commands: readonly Command[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${escaped(summary, /:/g)}`)}\n`);
  const inner = commands.filter(({ takesCommand }) => takesCommand).map(({ name }) => name);
  return `\
#compdef holdfast
# Completion of holdfast, for zsh: holdfast completion zsh > "\${fpath[1]}/_holdfast"
_holdfast() {
  local -a commands
  commands=(
${described.join('')}  )
  if ((CURRENT == 2)); then
    _describe command commands
    compadd -- ${OTHER_WORDS.join(' ')}
    return
  fi
  shift words
  ((CURRENT--))
  local at=\${words[(i)--]}
  if ((at < CURRENT)); then
    if [[ $words[1] == (${inner.join('|')}) ]]; then
      shift $at words
      ((CURRENT -= at))
      _normal
    fi
    return
  fi
  case $words[1] in
    help)
      ((CURRENT == 2)) && _describe command commands
      ;;
${commands.map(commandCase).join('')}  esac
}

if [[ $funcstack[1] == _holdfast ]]; then
  _holdfast "$@"
else
  compdef _holdfast holdfast
fi`;
}
