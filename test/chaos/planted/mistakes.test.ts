import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../setups/program.ts';
import { MISTAKES, plantsOf } from './mistakes.ts';

test.each(MISTAKES)('the mistake $name can be planted: its texts stand in their files once', (mistake) => {
  for (const { file, find } of plantsOf(mistake)) {
    expect(readFileSync(join(ROOT, file), 'utf8').split(find), `${file}: ${find}`).toHaveLength(2);
  }
});
