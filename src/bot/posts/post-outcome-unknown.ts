import { mayHaveHappened } from '@signalman/slack'

/** Slack gave no answer to a post, or one that says nothing of it: it may have been posted all the same. */
export class PostOutcomeUnknown extends Error {
  override readonly name = 'PostOutcomeUnknown'
  constructor(cause: unknown) {
    super('Slack did not say whether the message was posted.', { cause })
  }

  static matches = mayHaveHappened
}
