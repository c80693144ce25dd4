import { createContext, useMemo, useState } from 'react'
import type { Block, InputValue, InputValues, OptionsAnswer, Place, Refusal } from '../protocol.ts'
import { useActions, useInside, useShowFailure } from './page.ts'
import { fitting, withValue } from './values.ts'

/** The message, modal, or Home that contains elements: what is typed there, and how it is sent to the app. */
export interface Surface {
  place: Place
  values: InputValues
  change: (blockId: string, actionId: string, value: InputValue) => void
  /**
   * Sends an action to the app. `value` is what was chosen, omitted for a button. Resolves when the app has acknowledged or
   * failed to.
   */
  act: (blockId: string, actionId: string, value?: InputValue) => Promise<void>
  search: (blockId: string, actionId: string, query: string) => Promise<OptionsAnswer | Refusal>
}

export const SurfaceContext = createContext<Surface | undefined>(undefined)

/** For something that is only shown: nothing typed or pressed in it is sent to the app. */
export const INERT: Surface = {
  place: { kind: 'view', viewId: '' },
  values: {},
  change: () => undefined,
  act: async () => undefined,
  search: async () => ({ ok: true, options: [], groups: [] }),
}

export function useSurface(): Surface {
  return useInside(SurfaceContext)
}

/** A surface that keeps what is typed while it is shown. */
export function useNewSurface(
  place: Place,
  blocks: readonly Block[],
  onChange?: (blockId: string) => void,
): Surface {
  const { client } = useActions()
  const showFailure = useShowFailure()
  const [typed, setTyped] = useState<InputValues>({})
  const values = useMemo(() => fitting(blocks, typed), [blocks, typed])
  return {
    place,
    values,
    change: (blockId, actionId, value) => {
      setTyped((before) => withValue(before, blockId, actionId, value))
      onChange?.(blockId)
    },
    act: async (blockId, actionId, value) => {
      const all = value === undefined ? values : withValue(values, blockId, actionId, value)
      const given = value === undefined ? {} : { value }
      showFailure(await client.action({ place, blockId, actionId, values: all, ...given }))
    },
    search: (blockId, actionId, query) => client.options({ place, blockId, actionId, query }),
  }
}
