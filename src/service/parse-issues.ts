/** The first ones are kept, and all are counted. */
const MAX_PARTS = 100

/** The parts of a response that couldn't be parsed: their count, and the paths of the first 100. */
export interface ParseIssues {
  readonly count: number
  /** Such as `data.results[3].port`: only known field names and indexes, nothing that the service sent. */
  readonly paths: readonly string[]
}

export class ParseIssueCollector implements ParseIssues {
  count = 0
  readonly paths: string[] = []

  /** Records a part that is missing or has the wrong type. Returns undefined, so that readers can return its result. */
  add(path: string): undefined {
    this.count += 1
    if (this.paths.length < MAX_PARTS) this.paths.push(path)
    return undefined
  }
}
