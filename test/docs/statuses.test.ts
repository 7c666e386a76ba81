/** docs/specification.md#item-statuses has every status and explanation that a reserve item can get. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { filesIn } from './documents.ts';

const PAGE = readFileSync('docs/specification.md', 'utf8');

/** A text in Lua that begins with a status, and what is appended to it in the same line. */
const EXPLANATION =
  /(['"])((?:NOT_VALID|NOT_AVAILABLE|ALREADY_HELD)(?:(?!\1).)*)\1((?: \.\. (?:'[^']*'|[\w.]+(?:\([^)]*\))?))*)/g;

/** The texts of a script that stay the same, such as `NOT_VALID: %s has %d slots`, with % in place of what varies. */
const explanationsIn = (source: string): readonly string[] =>
  [...source.matchAll(EXPLANATION)].map(([, , start = '', rest = '']) =>
    (start + rest.replaceAll(/ \.\. (?:'([^']*)'|[\w.]+(?:\([^)]*\))?)/g, (_, text) => text ?? '%')).replaceAll(
      /%(\.0f|\w)?/g,
      '%',
    ),
  );

const explanations = [...new Set(filesIn('lua').flatMap((file) => explanationsIn(readFileSync(file, 'utf8'))))].sort();

describe('the table of statuses has', () => {
  test.each(explanations)('%s', (explanation) => {
    const pieces = explanation.split('%').map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    expect(PAGE).toMatch(new RegExp(`\`${pieces.join('[^`]+')}`));
  });
});
