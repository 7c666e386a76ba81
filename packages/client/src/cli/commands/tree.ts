/** `holdfast tree`: draws the registered resources and their free slots. */
import type { TreeNode } from '../../types.ts';
import { type Command, JSON_OPTION, URL_OPTION } from '../command.ts';
import { connect } from '../connect.ts';
import { EXIT } from '../exitCodes.ts';
import { plain, print, printJson, say } from '../output.ts';
import { labelsText } from './definitions.ts';

function lineOf({ name, capacity, available, outOfService = 0, dirty = 0, waiting, labels }: TreeNode): string {
  const free = capacity === null ? '' : `${available} of ${capacity} free`;
  const queue = waiting > 0 ? `${waiting} waiting` : '';
  const out = outOfService > 0 ? `${outOfService} out of service` : '';
  const cleaning = dirty > 0 ? `${dirty} ${dirty === 1 ? 'needs' : 'need'} cleaning` : '';
  return [name, free, out, cleaning, queue, labelsText(labels)]
    .map(plain)
    .filter((part) => part !== '')
    .join('  ');
}

function linesOf(nodes: readonly TreeNode[], before: string): string[] {
  return nodes.flatMap((node, i) => {
    const isLast = i === nodes.length - 1;
    const own = `${before}${isLast ? '└── ' : '├── '}${lineOf(node)}`;
    return [own, ...linesOf(node.children, `${before}${isLast ? '    ' : '│   '}`)];
  });
}

export const tree: Command = {
  name: 'tree',
  summary: 'Draws the registered resources and their free slots',
  synopsis: 'tree [options]',
  positionals: { min: 0, max: 0 },
  options: [JSON_OPTION, URL_OPTION],
  examples: ['holdfast tree', 'holdfast tree --json'],
  run: async ({ args, signal }) => {
    const roots = await (await connect({ args, signal })).tree({ signal });
    if (args.has('json')) printJson(roots);
    else if (roots.length === 0) say('no resource is registered');
    else print(roots.flatMap((root) => [lineOf(root), ...linesOf(root.children, '')]).join('\n'));
    return EXIT.done;
  },
};
