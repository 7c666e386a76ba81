/** Fields of a form that nobody sees or changes. */
interface HiddenFieldsProps {
  readonly fields: Readonly<Record<string, string>>;
}

export const HiddenFields = ({ fields }: HiddenFieldsProps) => (
  <>
    {Object.entries(fields).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
);
