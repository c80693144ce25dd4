/**
 * Slack allows at least twenty requests a minute, each for at most 999 people or channels
 * (https://docs.slack.dev/reference/methods/users.list, conversations.members and users.conversations, November 2026).
 */
export const PAGES = 20
export const PER_PAGE = 999

/** A list has more pages than the app reads. */
export class TooManyPages extends Error {
  override readonly name = 'TooManyPages'
  constructor() {
    super('Slack has more of this than the app reads.')
  }
}

interface Page {
  response_metadata?: { next_cursor?: string }
}

/** Yields the pages of a list in Slack. Throws TooManyPages if there are more than `max`. */
export async function* readPages<Options extends object, Result extends Page>(
  call: (options: Options & { cursor?: string }) => Promise<Result>,
  options: Options,
  max: number,
): AsyncGenerator<Result, undefined> {
  let cursor: string | undefined
  for (let page = 0; page < max; page += 1) {
    const result = await call({ ...options, ...(cursor && { cursor }) })
    yield result
    cursor = result.response_metadata?.next_cursor
    if (!cursor) return
  }
  throw new TooManyPages()
}
