import { UserError } from '@signalman/runtime'

/** What was stored for a button is deleted already, or its value comes from an earlier version of the app. */
export class ButtonTooOld extends UserError {
  override readonly name = 'ButtonTooOld'
  constructor({ forgets, next }: { forgets?: string; next?: string }) {
    const because = forgets === undefined ? '.' : `: it no longer knows ${forgets}.`
    super(`This button is too old${because}${next === undefined ? '' : ` ${next}`}`)
  }
}
