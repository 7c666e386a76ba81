/**
 * Schemas that depend on the configured sizes of an instance are functions of these.
 */
import type { z } from 'zod';
import type { Sizes } from '../domain/maxSizes.ts';

/** The part of the configuration that schemas depend on. */
export interface Rules {
  readonly sizes: Sizes;
}

/** A schema, or one that depends on sizes. */
export type Sized<Schema extends z.ZodType> = Schema | ((sizes: Sizes) => Schema);

/** Returns the schema for an instance. */
export const forSizes = <Schema extends z.ZodType>(schema: Sized<Schema>, sizes: Sizes): Schema =>
  typeof schema === 'function' ? schema(sizes) : schema;
