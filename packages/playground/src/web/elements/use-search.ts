import { useEffect, useState } from 'react'
import { useSurface } from '../surface.ts'
import type { Element, Option, OptionGroup } from '../wire.ts'
import { type ChoiceGroup, filterChoices, toChoiceGroups } from './select-options.ts'

const SEARCH_DELAY_MS = 250
const DEFAULT_MIN_QUERY_LENGTH = 3

export interface Search {
  groups: ChoiceGroup[]
  /** A sentence to show instead of options: searching, no matches, or an error. */
  status: string | undefined
}

const toSearch = (groups: ChoiceGroup[]): Search => ({
  groups,
  status: groups.some(({ choices }) => choices.length > 0) ? undefined : 'No matches.',
})
const statusOnly = (status: string): Search => ({ groups: [], status })

/** Searches a select's options. External selects query the app after a pause in typing; others are filtered immediately. */
export function useSearch(
  blockId: string,
  element: Element,
  initialGroups: readonly ChoiceGroup[],
  query: string,
  open: boolean,
): Search {
  const { search } = useSurface()
  const [answer, setAnswer] = useState<Search & { query: string }>()
  const external = element.type.endsWith('external_select')
  const missing = (element.min_query_length ?? DEFAULT_MIN_QUERY_LENGTH) - query.trim().length

  // biome-ignore lint/correctness/useExhaustiveDependencies: `search` is recreated on every render but does the same
  useEffect(() => {
    if (!external || !open || missing > 0) return
    let current = true
    const timer = setTimeout(async () => {
      const result = await search(blockId, element.action_id, query.trim())
      if (!current) return
      if (!result.ok) return setAnswer({ query, ...statusOnly(result.message) })
      // Safe because the server validates the options.
      const groups = toChoiceGroups(
        result.options as unknown as Option[],
        result.groups as unknown as OptionGroup[],
      )
      setAnswer({ query, ...toSearch(groups) })
    }, SEARCH_DELAY_MS)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [external, open, query, missing, blockId, element.action_id])

  if (!external) return toSearch(filterChoices(initialGroups, query))
  if (missing > 0)
    return statusOnly(`Type ${missing} more ${missing === 1 ? 'character' : 'characters'} to search.`)
  return answer?.query === query ? answer : statusOnly('Searching…')
}
