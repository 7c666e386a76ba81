/**
 * The Board as a response: each state of a row, each filter, and pages (docs/specification.md#dashboard-and-sign-in).
 */
import { JSDOM } from 'jsdom';
