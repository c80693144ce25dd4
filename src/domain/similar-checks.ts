import { alikeNames } from './alike-names.ts'

/** So many checks of one name are offered as buttons. */
export const OFFERED = 5

/** As much of a health check as it takes to tell it from others. */
export interface NamedCheck {
  readonly uuid: string
  readonly name: string
  readonly target?: string | undefined
}

/** So many checks are looked through for a name that was meant. */
const MOST_LOOKED_THROUGH = 10_000

/** The checks that a name which fits none was likely meant for, likest first, at most five. Throws ApiError. */
export async function similarChecks<Check extends NamedCheck>(
  healthChecks: { listAll(query: object): AsyncIterable<{ results: readonly Check[] }> },
  named: string,
): Promise<Check[]> {
  const looked: Check[] = []
  for await (const { results } of healthChecks.listAll({})) {
    looked.push(...results)
    if (looked.length >= MOST_LOOKED_THROUGH) break
  }
  return alikeNames(named, looked, ({ name }) => name, OFFERED)
}
