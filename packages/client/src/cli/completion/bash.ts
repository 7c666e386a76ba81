/** Writes the completion of `holdfast` for bash. */
import { HELP_OPTION } from '../arguments.ts';
import type { Command } from '../command.ts';
import { namesOf, type Offer, OTHER_WORDS, offerOf, placesOf } from './offers.ts';

const isEmpty = (offer: Offer) => offer.length === 0;
/** `:files` stands for names of files. */
const textOf = (offer: Offer) => (offer === 'files' ? ':files' : offer.join(' '));

function optionsCase({ name, options, takesCommand }: Command): string {
  const all = [...options, HELP_OPTION];
  const valued = all.filter(({ value }) => value !== undefined);
  const inner = takesCommand === true ? ' inner=1' : '';
  return `${name}) options='${all.flatMap(namesOf).join(' ')}' valued='${valued.flatMap(namesOf).join(' ')}'${inner} ;;`;
}

const offerCase = (pattern: string, offer: Offer) => `${pattern}) offer='${textOf(offer)}' ;;`;

const valueCases = ({ name, options }: Command): string[] =>
  options.flatMap((option) => {
    const offer = offerOf(option.value ?? '');
    const pattern = namesOf(option)
      .map((one) => `${name}:${one}`)
      .join(' | ');
    return isEmpty(offer) ? [] : [offerCase(pattern, offer)];
  });

function placeCases(command: Command): string[] {
  const { first, others } = placesOf(command);
  // A place without an offer has a line, too, so that it is none of the others.
  if (isEmpty(others) && first.every(isEmpty)) return [];
  const cases = first.map((offer, i) => offerCase(`${command.name}:${i}`, offer));
  return isEmpty(others) ? cases : [...cases, offerCase(`${command.name}:*`, others)];
}

const lines = (texts: readonly string[], indent: string) => texts.map((text) => `${indent}${text}\n`).join('');

/** @returns a script: `source <(holdfast completion bash)` */
export function bashCompletion(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  return `\
# Completion of holdfast, for bash 4.1 or later: source <(holdfast completion bash)
_holdfast() {
  local cur=\${COMP_WORDS[COMP_CWORD]} verb=\${COMP_WORDS[1]} option='' place=0 word i
  local options='' valued='' inner='' offer=''
  COMPREPLY=()
  # Bash splits --file=lab.yaml at the =.
  [[ $cur == = ]] && cur=''
  case $verb in
${lines(commands.map(optionsCase), '    ')}  esac
  for ((i = 2; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $option ]]; then
      [[ $word == = ]] || option=''
    elif [[ $word == -- ]]; then
      [[ $inner ]] && _holdfast_inner $((i + 1))
      return
    elif [[ $word == -?* ]]; then
      [[ " $valued " == *" $word "* ]] && option=$word
    else
      ((++place))
    fi
  done
  if ((COMP_CWORD == 1)); then
    offer='${names} ${OTHER_WORDS.join(' ')}'
  elif [[ $option ]]; then
    case $verb:$option in
${lines(commands.flatMap(valueCases), '      ')}    esac
  elif [[ $cur == -* ]]; then
    offer=$options
  else
    case $verb:$place in
      help:0) offer='${names}' ;;
${lines(commands.flatMap(placeCases), '      ')}    esac
  fi
  _holdfast_offer "$offer" "$cur"
}

_holdfast_offer() {
  if [[ $1 == :files ]]; then
    compopt -o filenames 2> /dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$2")
  else
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
  fi
}

# The command behind --, at this place.
_holdfast_inner() {
  if declare -F _command_offset > /dev/null; then
    _command_offset "$1"
  elif (($1 == COMP_CWORD)); then
    mapfile -t COMPREPLY < <(compgen -c -- "\${COMP_WORDS[COMP_CWORD]}")
  else
    _holdfast_offer :files "\${COMP_WORDS[COMP_CWORD]}"
  fi
}

complete -F _holdfast holdfast`;
}
