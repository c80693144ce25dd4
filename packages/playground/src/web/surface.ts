import { createContext, useMemo, useState } from 'react'
import type { Block, InputValue, InputValues, OptionsAnswer, Refusal, SurfaceRef } from '../protocol.ts'
import { useActions, useRequiredContext, useShowFailure } from './page.ts'
import { keepValidValues, withValue } from './values.ts'

/** A message, modal, or Home with elements: what is typed there, and the functions that send it to the app. */
export interface Surface {
  place: SurfaceRef
  values: InputValues
  change: (blockId: string, actionId: string, value: InputValue) => void
  /**
   * Sends an action to the app. `value` is the choice, omitted for a button. Resolves when the app has acknowledged or failed to
   * acknowledge.
   */
  act: (blockId: string, actionId: string, value?: InputValue) => Promise<void>
  search: (blockId: string, actionId: string, query: string) => Promise<OptionsAnswer | Refusal>
}

export const SurfaceContext = createContext<Surface | undefined>(undefined)

/** A surface that only shows blocks, and sends nothing to the app. */
export const READ_ONLY_SURFACE: Surface = {
  place: { kind: 'view', viewId: '' },
  values: {},
  change: () => undefined,
  act: async () => undefined,
  search: async () => ({ ok: true, options: [], groups: [] }),
}

export function useSurface(): Surface {
  return useRequiredContext(SurfaceContext)
}

/** A surface that keeps what is typed as long as it is rendered. */
export function useNewSurface(
  place: SurfaceRef,
  blocks: readonly Block[],
  onChange?: (blockId: string) => void,
): Surface {
  const { client } = useActions()
  const showFailure = useShowFailure()
  const [typed, setTyped] = useState<InputValues>({})
  const values = useMemo(() => keepValidValues(blocks, typed), [blocks, typed])
  return {
    place,
    values,
    change: (blockId, actionId, value) => {
      setTyped((before) => withValue(before, blockId, actionId, value))
      onChange?.(blockId)
    },
    act: async (blockId, actionId, value) => {
      const allValues = value === undefined ? values : withValue(values, blockId, actionId, value)
      const choice = value === undefined ? {} : { value }
      showFailure(await client.action({ surface: place, blockId, actionId, values: allValues, ...choice }))
    },
    search: (blockId, actionId, query) => client.options({ surface: place, blockId, actionId, query }),
  }
}
