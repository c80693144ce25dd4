import { useEffect, useState } from 'react'
import type { Element, Option } from '../block-kit.ts'
import { useSurface } from '../surface.ts'
import { type Choice, filterChoices, toChoice } from './select-options.ts'

const SEARCH_DELAY_MS = 250
const DEFAULT_MIN_QUERY_LENGTH = 3

export interface Search {
  choices: Choice[]
  /** A message to show instead of options, such as "Searching…", "No matches.", or an error. */
  status: string | undefined
}

const toSearch = (choices: Choice[]): Search => ({
  choices,
  status: choices.length > 0 ? undefined : 'No matches.',
})
const statusOnly = (status: string): Search => ({ choices: [], status })

/** Searches a select's options. External selects query the app after a pause in typing. Other selects filter their own options. */
export function useSearch(
  blockId: string,
  element: Element,
  initial: readonly Choice[],
  query: string,
  open: boolean,
): Search {
  const { searchOptions } = useSurface()
  const [lastResult, setLastResult] = useState<Search & { query: string }>()
  const isExternal = element.type === 'multi_external_select'
  const missingCharacters = (element.min_query_length ?? DEFAULT_MIN_QUERY_LENGTH) - query.trim().length

  // biome-ignore lint/correctness/useExhaustiveDependencies: `searchOptions` is recreated on every render but does the same
  useEffect(() => {
    if (!isExternal || !open || missingCharacters > 0) return
    let isCurrent = true
    const timer = setTimeout(async () => {
      const result = await searchOptions(blockId, element.action_id, query.trim())
      if (!isCurrent) return
      if (!result.ok) return setLastResult({ query, ...statusOnly(result.message) })
      // Safe cast: the server validates the options.
      const choices = (result.options as unknown as Option[]).map(toChoice)
      setLastResult({ query, ...toSearch(choices) })
    }, SEARCH_DELAY_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [isExternal, open, query, missingCharacters, blockId, element.action_id])

  if (!isExternal) return toSearch(filterChoices(initial, query))
  if (missingCharacters > 0)
    return statusOnly(
      `Type ${missingCharacters} more ${missingCharacters === 1 ? 'character' : 'characters'} to search.`,
    )
  return lastResult?.query === query ? lastResult : statusOnly('Searching…')
}
