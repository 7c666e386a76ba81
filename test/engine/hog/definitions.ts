/**
 * The worst requests that list, register, delete or copy definitions: a title, and what makes each request.
 */

import { deleteDefinition, NOW, register } from '../../../src/engine/definitions/changes.ts';
import { toStored } from '../../../src/engine/definitions/codec.ts';
import { copyDefinitions, takeCopyLease } from '../../../src/engine/definitions/copy.ts';
import { definitions, labelsInUse, tree } from '../../../src/engine/definitions/list.ts';
import { BATCH, fresh, item, long, range, running } from './state.ts';

export const DEFINITIONS: readonly (readonly [string, () => () => Promise<unknown>])[] = [
  [
    'definitions, the first pages',
    () => async () => {
      let pages = 0;
      for await (const _ of definitions(running.engine, running.credential)) if (++pages === 40) return;
    },
  ],
  [
    'tree, the first pages',
    () => async () => {
      let pages = 0;
      for await (const _ of tree(running.engine, running.credential)) if (++pages === 40) return;
    },
  ],
  ['labels in use', () => () => labelsInUse(running.engine, running.credential, 1000)],
  [
    'register of 500 new names',
    () => () =>
      register(
        running.engine,
        running.credential,
        range(BATCH, (i) => item(`${fresh()}${i}`)),
        NOW,
      ),
  ],
  [
    'register of 500 with 16 new ancestors each',
    () => () =>
      register(
        running.engine,
        running.credential,
        range(BATCH, (i) => item(`${fresh()}${i}`, { treePath: range(16, (j) => `${fresh()}${j}`) })),
        NOW,
      ),
  ],
  [
    'register of 500 with 64 blockers each',
    () => () =>
      register(
        running.engine,
        running.credential,
        range(BATCH, (i) => item(`${fresh()}${i}`, { blocks: range(64, (j) => `b${i}${j}`) })),
        NOW,
      ),
  ],
  [
    'register of 500 pools of 100,000',
    () => () =>
      register(
        running.engine,
        running.credential,
        range(BATCH, (i) => item(`${fresh()}${i}`, { capacity: 100_000 })),
        NOW,
      ),
  ],
  [
    'register of a pool whose slots are held as plain resources',
    () => () => register(running.engine, running.credential, [item('adopted', { capacity: 100_000 })], NOW),
  ],
  [
    'register of what moves a node of many children down',
    () => () => register(running.engine, running.credential, [item('parent', { treePath: ['above'] })], NOW),
  ],
  [
    'register of 50 with 16 labels each, and others after them',
    () => {
      const names = range(50, () => fresh());
      let round = 0;
      return () => {
        round++;
        const labels = Object.fromEntries(range(16, (j) => [`key${j}`.padEnd(64, 'k'), `${round}`.padEnd(128, 'é')]));
        return register(
          running.engine,
          running.credential,
          names.map((name) => ({ ...item(name), labels })),
          NOW,
        );
      };
    },
  ],
  [
    'register of 500 that keep their labels',
    () => () =>
      register(
        running.engine,
        running.credential,
        range(BATCH, (i) => item(`labelled${i}`)),
        NOW,
      ),
  ],
  [
    'definitions with a label that many have',
    () => async () => {
      let pages = 0;
      for await (const _ of definitions(running.engine, running.credential, { label: 'many=x' }))
        if (++pages === 40) return;
    },
  ],
  [
    'delete of a node of many children with labels, cascading',
    () => () => deleteDefinition(running.engine, running.credential, 'labelledParent', true, NOW),
  ],
  [
    'delete of a node of many children',
    () => () => deleteDefinition(running.engine, running.credential, 'parent', false, NOW),
  ],
  [
    'delete of a node of many children, cascading',
    () => () => deleteDefinition(running.engine, running.credential, 'parent', true, NOW),
  ],
  [
    'copy of 1,000 definitions from the database',
    () => async () => {
      const { redis } = running.engine;
      const { tenant } = running.credential;
      await redis.del(`{${tenant}}:copying`);
      await takeCopyLease(redis, tenant, 'lease');
      await copyDefinitions(
        redis,
        tenant,
        'lease',
        range(1000, (i) =>
          toStored({
            name: long(`copied${i}`),
            capacity: 5,
            treePath: null,
            blocks: range(64, (j) => `${j}`.padEnd(120, 'c')),
            labels: Object.fromEntries(range(16, (j) => [`key${j}`, `${i}`])),
          }),
        ),
      );
      await redis.del(`{${tenant}}:copying`);
    },
  ],
];
