/**
 * The palette: the link to its page, which a script turns into a dialog, the dialog, and the list of what it found.
 */
import type { OptionGroup, Option as OptionOf } from '../find/options.ts';
import { ICONS } from '../icons.ts';
import { Icon } from './icon.tsx';
import { Dot } from './stateMark.tsx';
import { Clock } from './when.tsx';

export const FIND = '/dashboard/find';

/** The link, and the dialog that it opens. */
export const FindLink = () => (
  <>
    <a class="jump" href={FIND} data-shortcut="/" id="jump">
      <Icon name="search" /> <span>Search or jump</span> <kbd>⌘K</kbd>
    </a>
    <template id="palette">
      <div class="find-field">
        <Icon name="search" />
        <input
          id="find"
          role="combobox"
          aria-label="Search or jump"
          aria-expanded="true"
          aria-controls="found"
          aria-autocomplete="list"
          placeholder="Search or jump to…"
          autocomplete="off"
          maxlength={256}
          autofocus
        />
        <kbd>esc</kbd>
      </div>
      <div id="found" role="listbox" aria-label="Results" />
    </template>
  </>
);

export interface FoundListProps {
  /** At least one. */
  readonly groups: readonly OptionGroup[];
  /** True if it is the list of the dialog, whose field has the focus, or that of the page. */
  readonly isDialog: boolean;
}

export const FoundList = ({ groups, isDialog }: FoundListProps) => (
  <>
    {groups.map(({ title, options }, g) =>
      isDialog ? (
        // biome-ignore lint/a11y/useSemanticElements: a list box has groups, not field sets
        <div role="group" aria-label={title}>
          <div class="find-title" role="presentation">
            {title}
          </div>
          {options.map((option, i) => (
            <a href={option.to} role="option" tabindex={-1} id={`found-${g}-${i}`} aria-selected="false">
              <Content option={option} />
            </a>
          ))}
        </div>
      ) : (
        <section aria-label={title}>
          <h2 class="find-title">{title}</h2>
          {options.map((option) => (
            <a href={option.to}>
              <Content option={option} />
            </a>
          ))}
        </section>
      ),
    )}
  </>
);

const Content = ({ option: { icon, text, meta, untilMs, rest = '' } }: { option: OptionOf }) => (
  <>
    {isIcon(icon) ? <Icon name={icon} /> : <Dot of={icon} />}
    <span class="cut">
      {text}
      {meta === undefined && untilMs !== undefined && (
        <>
          {' '}
          until <Clock at={untilMs} />
        </>
      )}
      {meta !== undefined && (
        <span class="meta">
          {' '}
          {meta}
          {untilMs !== undefined && (
            <>
              {' '}
              until <Clock at={untilMs} />
            </>
          )}
          {rest}
        </span>
      )}
    </span>
  </>
);

const isIcon = (name: OptionOf['icon']): name is keyof typeof ICONS => name in ICONS;
