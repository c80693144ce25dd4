import { type SuggestedCommand, UserError } from '@signalman/runtime'

/** Nothing has the typed name or text, so it may have been meant otherwise. */
export class NothingFound extends UserError {
  override readonly name = 'NothingFound'
  /** What happened, without the question about its suggestions. */
  readonly problem: string
  constructor(problem: string, suggestions: readonly SuggestedCommand[], question?: string) {
    super(question === undefined ? problem : `${problem} ${question}`, suggestions)
    this.problem = problem
  }
}
