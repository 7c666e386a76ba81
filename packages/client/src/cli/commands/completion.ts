/** `holdfast completion`: prints a script that lets a shell complete commands and options. */
import type { Command } from '../command.ts';
import { bashCompletion } from '../completion/bash.ts';
import { fishCompletion } from '../completion/fish.ts';
import { zshCompletion } from '../completion/zsh.ts';
import { EXIT } from '../exitCodes.ts';
import { namedIn } from '../nearest.ts';
import { print } from '../output.ts';

const SHELLS: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** @param commands returns all commands, this one among them */
export const completionOf = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'Prints a script with which a shell completes commands and options',
  synopsis: 'completion <bash|zsh|fish>',
  details: `\
The script completes commands, options, names of files, and the command behind --. It asks no service, and knows neither
keys nor names of resources.

  bash  echo 'source <(holdfast completion bash)' >> ~/.bashrc
  zsh   holdfast completion zsh > "\${fpath[1]}/_holdfast"
  fish  holdfast completion fish > ~/.config/fish/completions/holdfast.fish`,
  positionals: { min: 1, max: 1 },
  options: [],
  examples: ['source <(holdfast completion bash)', 'holdfast completion fish > holdfast.fish'],
  run: async ({ args: { positionals } }) => {
    const [shell = ''] = positionals;
    print(namedIn(SHELLS, shell, 'bash, zsh or fish')(commands()));
    return EXIT.done;
  },
});
