/** The page that asks what is needed, by a name or labels, and shows what fits. */
import { BOARD } from '../board/query.ts';
import type { Viewer } from '../env.ts';
import { NOT_REGISTERED } from '../find/findWanted.ts';
import type { OptionGroup } from '../find/options.ts';
import { FoundList } from './findParts.tsx';
import { Buttons, FormPage } from './formPage.tsx';

interface WhatPageProps {
  readonly viewer: Viewer;
  /** '': not asked yet */
  readonly q: string;
  readonly found: readonly OptionGroup[];
  readonly back: string;
}

export const WhatPage = ({ viewer, q, found, back }: WhatPageProps) => (
  <FormPage title="Reserve" viewer={viewer}>
    <form class="stack" action="/dashboard/reserve">
      <input type="hidden" name="back" value={back} />
      <label>
        What you need
        <input
          name="q"
          value={q}
          required
          maxlength={256}
          autocomplete="off"
          placeholder="a name, or: android berlin"
          autofocus={q === ''}
        />
      </label>
      {q === '' && (
        <p class="hint">
          A name, labels or a group: the next page shows what fits and is free. Several names, with commas between them:
          all of them or none. Or <a href={`${BOARD}?free=1`}>look</a> at all that is free.
        </p>
      )}
      {q !== '' && (
        <p>
          {found.some(({ title }) => title !== NOT_REGISTERED)
            ? 'Choose one:'
            : `Nothing that is registered fits “${q}”.`}
        </p>
      )}
      {q !== '' && (
        <div class="found">
          <FoundList groups={found} isDialog={false} />
        </div>
      )}
      <Buttons back={back}>
        <button type="submit" class={q === '' ? 'primary' : undefined}>
          Find
        </button>
      </Buttons>
    </form>
  </FormPage>
);
