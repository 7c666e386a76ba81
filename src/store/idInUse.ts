/** The client-chosen id of something new is that of something else. */
import { HoldfastError } from '../domain/errors.ts';

export class IdInUse extends HoldfastError {
  constructor() {
    super('refused', 'the id is in use');
  }
}
