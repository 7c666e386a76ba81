/**
 * A search form.
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
        {label} <input type="search" name="q" value={q} maxlength={256} data-shortcut="/" />
      </label>
      <button type="submit" id="search">
        Search
      </button>
    </form>
  </search>
);
