import { UserError } from '../../errors.ts'
import { grouped } from '../wording.ts'

/** As many as one workspace may have: what is watched is compared with every check at every poll. */
export const MOST_WATCHES = 1000
export const MOST_MUTES = 1000

/** A workspace has as many watches or mutes as one may have. */
export class WatchingFull extends UserError {
  override readonly name = 'WatchingFull'
  constructor(what: 'watches' | 'mutes', most: number) {
    const end = what === 'watches' ? '/hc unwatch ends one, /hc watches lists them' : '/hc unmute ends one'
    super(`This workspace has ${grouped(most)} ${what}, which is as many as one may have: ${end}.`)
  }
}
