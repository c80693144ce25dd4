import { toText } from './schema.ts'

/** The first ones are kept, and all are counted. */
const MAX_PARTS = 100
const MAX_CHARACTERS = 4000

/** The parts of a response that couldn't be parsed: their count, and the paths of the first 100. */
export interface ParseIssues {
  readonly count: number
  /** Such as `data.results[3].port`: only known field names and indexes, nothing that the service sent. */
  readonly paths: readonly string[]
}

/** A part of a response with the wrong type. */
export interface UnexpectedValue {
  /** Such as `comments[3].date`: only known field names and indexes, nothing that the service sent. */
  readonly path: string
  /** A text, or JSON: at most 4,000 characters. */
  readonly text: string
}

/** Collects the unreadable parts of one response. */
export class ParseIssueCollector implements ParseIssues {
  count = 0
  readonly paths: string[] = []
  /** What was sent. Only for responses without secrets, because people see these values. */
  readonly unexpectedValues: UnexpectedValue[] = []

  /** Records a part that is missing or has the wrong type. Returns undefined, so that readers can return its result. */
  add(path: string, value: unknown): undefined {
    this.count += 1
    if (this.paths.length >= MAX_PARTS) return undefined
    this.paths.push(path)
    if (value !== undefined)
      this.unexpectedValues.push({ path, text: toText(value).slice(0, MAX_CHARACTERS).toWellFormed() })
    return undefined
  }
}
