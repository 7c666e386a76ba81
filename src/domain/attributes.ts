/** Attributes of resources and of their slots (docs/specification.md#attributes): key → value. */
export type Attributes = Readonly<Record<string, string>>;
