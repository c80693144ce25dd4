import { Notice } from '@signalman/runtime'
import type { LimitReached } from './budgets.ts'

/** The database can't be written, so nothing was started. */
export class NotStored extends Notice {
  override readonly name = 'NotStored'
  constructor() {
    super('Signalman can’t write to its database right now, so nothing was started. Try again in a minute.')
  }
}

/** A key is missing or damaged, so nothing was started. */
export class NotSealed extends Notice {
  override readonly name = 'NotSealed'
  constructor() {
    super(
      'Signalman is missing the encryption key it needs to store this, so nothing was started. Its log says which key is missing and how to fix it.',
    )
  }
}

/** The database hasn't confirmed that the act is stored. If it is, any process may run it. */
export class CommitPending extends Notice {
  constructor() {
    super(
      'Signalman’s database didn’t answer in time, so it isn’t clear yet whether this has started. If your request was stored and the database is back within ten minutes, it runs then, and Signalman sends you the result. Don’t repeat it before that. If you get no result within ten minutes, check whether it was done.',
    )
  }
}

/** A rate limit is reached, so nothing was started. */
export class Busy extends Notice {
  override readonly name = 'Busy'
  constructor({ scope, retryInSeconds }: Pick<LimitReached, 'scope' | 'retryInSeconds'>) {
    const wait = `Try again in ${retryInSeconds === 1 ? 'a second' : `${retryInSeconds} seconds`}.`
    super(`${BUSY[scope]}, so nothing was started. ${wait}`)
  }
}

const BUSY = {
  person: 'You’ve sent Signalman more requests than it handles for one person at a time',
  workspace:
    'Signalman is busy: this workspace has sent more requests than it handles for one workspace at a time',
} as const

/** Slack didn't say which workspace the request is from, and Signalman couldn't find out. */
export class UnknownWorkspace extends Notice {
  override readonly name = 'UnknownWorkspace'
  constructor() {
    super(
      'Slack didn’t say which workspace this is for, so Signalman did nothing. Type the command in a channel of the workspace.',
    )
  }
}
