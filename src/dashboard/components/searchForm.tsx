/**
 * The form that a page is searched by.
 */

export interface SearchFormProps {
  /** The page. */
  readonly at: string;
  readonly label: string;
  /** What is searched for now; '' nothing */
  readonly q: string;
}

export const SearchForm = ({ at, label, q }: SearchFormProps) => (
  <search>
    <form class="search" action={at}>
      <label>
        {label} <input type="search" name="q" value={q} maxlength={256} />
      </label>
      <button type="submit">Search</button>
    </form>
  </search>
);
