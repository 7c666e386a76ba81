/**
 * A search form, and a field of a line of filters.
 */

export interface SearchFormProps {
  /** The address of the page. */
  readonly at: string;
  readonly label: string;
  /** The current search; '' none */
  readonly q: string;
}

export const SearchForm = ({ at, label, q }: SearchFormProps) => (
  <search>
    <form class="search" action={at}>
      <label>
        <span class="out-of-sight">{label}</span>
        <input type="search" name="q" value={q} maxlength={256} placeholder={label} />
      </label>
      <button type="submit" id="search">
        Search
      </button>
    </form>
  </search>
);

export interface FilterFieldProps {
  readonly name: string;
  readonly label: string;
  readonly value?: string | undefined;
  /** True if the key / leads to it. */
  readonly isFirst?: boolean;
}

/** A field of a line of filters: its label stands in it while it is empty. */
export const FilterField = ({ name, label, value = '', isFirst = false }: FilterFieldProps) => (
  <input
    name={name}
    value={value}
    aria-label={label}
    placeholder={label}
    maxlength={256}
    autocomplete="off"
    data-shortcut={isFirst ? '/' : undefined}
  />
);
