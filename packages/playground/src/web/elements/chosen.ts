import { useState } from 'react'
import { useDirectory } from '../directory.ts'
import { asList, asText } from '../values.ts'
import { offered, type Pick, type PickGroup, pick } from './select-options.ts'
import { type Slot, useElement } from './slot.ts'

export interface Chosen {
  /** What there is to choose from before anything is typed. */
  known: PickGroup[]
  chosen: Pick[]
  multiple: boolean
  /** No more can be chosen. */
  isFull: boolean
  busy: boolean
  put: (picks: readonly Pick[]) => void
}

/** What a select holds, by name: what was found by searching keeps its name after the search is over. */
export function useChosen(slot: Slot): Chosen {
  const directory = useDirectory()
  const held = useElement(slot)
  const [learned, setLearned] = useState<Record<string, Pick>>({})
  const { element, input } = slot
  const multiple = element.type.startsWith('multi_')
  const single = asText(held.value)
  const values = multiple ? asList(held.value) : [single].filter((value) => value !== '')
  const known = offered(element, directory)
  const initial = [element.initial_option ?? [], element.initial_options ?? []].flat().map(pick)
  const all = [...known.flatMap(({ picks }) => picks), ...initial]
  const most = multiple ? (element.max_selected_items ?? Number.POSITIVE_INFINITY) : 1
  const mayEmpty = multiple || (input !== undefined && !input.required)
  return {
    known,
    chosen: values.map(
      (value) => learned[value] ?? all.find((one) => one.value === value) ?? { value, label: value },
    ),
    multiple,
    isFull: multiple && values.length >= most,
    busy: held.busy,
    put: (picks) => {
      const next = picks.map(({ value }) => value)
      const isSame = next.length === values.length && next.every((value) => values.includes(value))
      if (isSame || next.length > most || (next.length === 0 && !mayEmpty)) return
      setLearned((before) => ({ ...before, ...Object.fromEntries(picks.map((one) => [one.value, one])) }))
      void held.choose(multiple ? (next.length > 0 ? next : null) : (next[0] ?? null))
    },
  }
}
