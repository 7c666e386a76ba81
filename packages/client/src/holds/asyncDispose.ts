/** `Symbol.asyncDispose`, also where it is missing: compilers of `await using` look for this one then. */
export const asyncDispose: typeof Symbol.asyncDispose = (Symbol.asyncDispose ??
  Symbol.for('Symbol.asyncDispose')) as typeof Symbol.asyncDispose;
