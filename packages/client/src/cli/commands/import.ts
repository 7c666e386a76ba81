/** `holdfast import`: translates a file of another tool into a file for `apply`. */
import { type Command, JSON_OPTION } from '../command.ts';
import { EXIT } from '../exitCodes.ts';
import { fromBoskos, type Translation } from '../import/boskos.ts';
import { fromJenkins } from '../import/jenkins.ts';
import { readYaml } from '../lab/file.ts';
import { labText, shortened } from '../lab/write.ts';
import { namedIn } from '../nearest.ts';
import { print, printJson, say } from '../output.ts';

const TOOLS: Readonly<Record<string, (root: unknown, file: string) => Translation>> = {
  jenkins: fromJenkins,
  boskos: fromBoskos,
};

export const importResources: Command = {
  name: 'import',
  summary: 'Translates resources of Jenkins or Boskos into a file for `apply`',
  synopsis: 'import [options] <jenkins|boskos> <file>',
  details: `\
jenkins reads the Configuration as Code of the plugin Lockable Resources (declaredResources), boskos the resources of
Boskos. It prints YAML, with comments where something has no counterpart, and calls no service. - is stdin. With --json,
the comments are on stderr.`,
  positionals: { min: 2, max: 2 },
  options: [JSON_OPTION],
  examples: ['holdfast import jenkins casc.yaml > lab.yaml', 'holdfast import boskos resources.yaml > lab.yaml'],
  run: async ({ args }) => {
    const [tool = '', file = ''] = args.positionals;
    const translate = namedIn(TOOLS, tool, 'jenkins or boskos');
    const { entries, head, tail } = translate(readYaml(file), file);
    if (args.has('json')) {
      printJson(entries.map(({ item }) => shortened(item)));
      const comments = [...head, ...entries.flatMap((entry) => entry.comments), ...tail];
      for (const line of comments.filter((one) => one !== '')) say(line);
    } else print(labText(entries, head, tail));
    return EXIT.done;
  },
};
