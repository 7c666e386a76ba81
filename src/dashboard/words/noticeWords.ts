/**
 * Words for what people can be told, and where (docs/specification.md#personal-notices).
 */
import type { Channel, PersonalNotice } from '../../domain/notices.ts';

/** What a person is told, in their words. */
export const NOTICE_WORDS: Readonly<Record<PersonalNotice, string>> = {
  TURN: 'It is my turn',
  BEGINS: 'What I booked begins, is delayed, or goes out of service',
  ENDS_SOON: 'My time ends soon',
  WANTED: 'Somebody waits for what I have',
  TAKEN: 'Something is taken away from me, or my booking of it',
};

export const CHANNEL_WORDS: Readonly<Record<Channel, string>> = {
  email: 'E-mail',
  slack: 'Slack',
  push: 'Push',
  browser: 'This browser',
};
