/**
 * Types of idiomorph.js, which is the published file of the package `idiomorph` with an export
 * (test/dashboard/assets.test.ts compares them).
 */
export { Idiomorph } from 'idiomorph';
