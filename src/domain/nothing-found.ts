import { type SuggestedCommand, UserError } from '@signalman/runtime'

/** Nothing has the typed name or text, so it may have been meant otherwise. */
export class NothingFound extends UserError {
  override readonly name = 'NothingFound'
  /** What happened, without the question about its suggestions. */
  readonly problem: string
  /** What to show in place of nothing: the line without that text. An empty list may read as good news. */
  readonly without: string | undefined
  constructor(
    problem: string,
    suggestions: readonly SuggestedCommand[],
    { question, without }: { question?: string | undefined; without?: string } = {},
  ) {
    super(question === undefined ? problem : `${problem} ${question}`, suggestions)
    this.problem = problem
    this.without = without
  }
}
