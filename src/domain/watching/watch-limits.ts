import { UserError } from '../../errors.ts'
import { grouped } from '../wording.ts'

/** Limits of one workspace: every poll compares every watch with every check. */
export const MOST_WATCHES = 1000
export const MOST_MUTES = 1000

/** The workspace is at its limit of watches or mutes. */
export class WatchingFull extends UserError {
  override readonly name = 'WatchingFull'
  constructor(what: 'watches' | 'mutes', most: number) {
    const end = what === 'watches' ? '/hc unwatch ends one, /hc watches lists them' : '/hc unmute ends one'
    super(`This workspace has ${grouped(most)} ${what}, which is as many as one may have: ${end}.`)
  }
}
