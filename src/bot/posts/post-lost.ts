import { mayHaveHappened } from '../../slack/client/refusals.ts'

/** Slack gave no answer to a post, or one that says nothing of it: it may stand there all the same. */
export class PostLost extends Error {
  override readonly name = 'PostLost'
  constructor(cause: unknown) {
    super('Nobody has heard whether it was posted.', { cause })
  }

  static isOf = mayHaveHappened
}
