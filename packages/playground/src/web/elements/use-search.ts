import { useEffect, useState } from 'react'
import { useSurface } from '../surface.ts'
import type { Element, Option, OptionGroup } from '../wire.ts'
import { matching, type PickGroup, pickGroups } from './select-options.ts'

const PAUSE_MS = 250
const MIN_QUERY = 3

export interface Search {
  groups: PickGroup[]
  /** A sentence instead of options: searching, nothing found, or what went wrong. */
  status: string | undefined
}

const found = (groups: PickGroup[]): Search => ({
  groups,
  status: groups.some(({ picks }) => picks.length > 0) ? undefined : 'Nothing matches.',
})
const saying = (status: string): Search => ({ groups: [], status })

/** Asks the app for an external select's options shortly after typing stops; other selects answer immediately. */
export function useSearch(
  blockId: string,
  element: Element,
  known: readonly PickGroup[],
  query: string,
  open: boolean,
): Search {
  const { search } = useSurface()
  const [answer, setAnswer] = useState<Search & { query: string }>()
  const external = element.type.endsWith('external_select')
  const missing = (element.min_query_length ?? MIN_QUERY) - query.trim().length

  // biome-ignore lint/correctness/useExhaustiveDependencies: `search` is made anew with every key, and is the same
  useEffect(() => {
    if (!external || !open || missing > 0) return
    let current = true
    const timer = setTimeout(async () => {
      const got = await search(blockId, element.action_id, query.trim())
      if (!current) return
      if (!got.ok) return setAnswer({ query, ...saying(got.message) })
      // The server only accepts options in Block Kit's shape.
      const groups = pickGroups(got.options as unknown as Option[], got.groups as unknown as OptionGroup[])
      setAnswer({ query, ...found(groups) })
    }, PAUSE_MS)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [external, open, query, missing, blockId, element.action_id])

  if (!external) return found(matching(known, query))
  if (missing > 0) return saying(`Type ${missing} more to search.`)
  return answer?.query === query ? answer : saying('Searching…')
}
