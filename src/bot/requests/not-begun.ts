import { UserError } from '../../errors.ts'

/** The database could not be written, so nothing was begun. */
export class NotWritten extends UserError {
  override readonly name = 'NotWritten'
  constructor() {
    super(NOT_WRITTEN)
  }
}

/** There is no room for the request, so nothing was begun. */
export class Busy extends UserError {
  override readonly name = 'Busy'
  constructor({ of, inSeconds }: { of: 'person' | 'workspace' | 'all'; inSeconds: number }) {
    const wait = `Try again in ${inSeconds === 1 ? 'a second' : `${inSeconds} seconds`}.`
    super(`${BUSY[of]} ${wait}`)
  }
}

const BUSY = {
  person: 'You have asked Signalman for more than it does for one person at once.',
  workspace: 'Signalman is busy: this workspace has asked it for more than it does for one at once.',
  all: 'Signalman is busy: it is asked for more than it can do at once.',
} as const

export const NOT_WRITTEN =
  'Signalman cannot write to its database right now, so this was not begun. Try again in a minute.'
