import { useEffect, useState } from 'react'
import { useSurface } from '../surface.ts'
import type { Element, Option, OptionGroup } from '../wire.ts'
import { matching, type PickGroup, pickGroups } from './select-options.ts'

const PAUSE_MS = 250
const MIN_QUERY = 3

export interface Search {
  groups: PickGroup[]
  /** A sentence instead of picks: searching, nothing found, what went wrong. */
  status: string | undefined
}

interface Answer {
  query: string
  groups: PickGroup[]
  fault?: string
}

/** Asks the app for an external select's options a moment after the typing stops; other selects answer at once. */
export function useSearch(
  blockId: string,
  element: Element,
  known: readonly PickGroup[],
  query: string,
  open: boolean,
): Search {
  const { search } = useSurface()
  const [answer, setAnswer] = useState<Answer>()
  const external = element.type.endsWith('external_select')
  const missing = (element.min_query_length ?? MIN_QUERY) - query.trim().length

  // biome-ignore lint/correctness/useExhaustiveDependencies: `search` is made anew with every key, and is the same
  useEffect(() => {
    if (!external || !open || missing > 0) return
    let current = true
    const timer = setTimeout(async () => {
      const got = await search(blockId, element.action_id, query.trim())
      if (!current) return
      if (!got.ok) return setAnswer({ query, groups: [], fault: got.message })
      // The server lets only options of Block Kit's shape through.
      const groups = pickGroups(got.options as unknown as Option[], got.groups as unknown as OptionGroup[])
      setAnswer({ query, groups })
    }, PAUSE_MS)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [external, open, query, missing, blockId, element.action_id])

  if (!external) {
    const groups = matching(known, query)
    return { groups, status: groups.some((group) => group.picks.length > 0) ? undefined : 'Nothing matches.' }
  }
  if (missing > 0) return { groups: [], status: `Type ${missing} more to search.` }
  if (answer?.query !== query) return { groups: [], status: 'Searching…' }
  const found = answer.groups.some((group) => group.picks.length > 0)
  return { groups: answer.groups, status: answer.fault ?? (found ? undefined : 'Nothing matches.') }
}
