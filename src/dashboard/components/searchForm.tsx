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
        <span class="out-of-sight">{label}</span>
        <input type="search" name="q" value={q} maxlength={256} placeholder={label} />
      </label>
      <button type="submit" id="search">
        Search
      </button>
    </form>
  </search>
);
