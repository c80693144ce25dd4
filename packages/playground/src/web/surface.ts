import { createContext, useMemo, useState } from 'react'
import type { InputValue, InputValues, OptionsAnswer, SurfaceRef } from '../protocol/answers.ts'
import type { Block, ErrorResponse } from '../protocol/protocol.ts'
import { useActions, useRequiredContext, useShowFailure } from './page.ts'
import { keepValidValues, withValue } from './values.ts'

/** A message, modal, or Home with interactive elements: their values, and the functions that send actions to the app. */
export interface Surface {
  ref: SurfaceRef
  values: InputValues
  setValue: (blockId: string, actionId: string, value: InputValue) => void
  /**
   * Sends an action to the app. `value` is the chosen value, omitted for a button. Resolves when the app has acknowledged the action, or
   * has failed to.
   */
  sendAction: (blockId: string, actionId: string, value?: InputValue) => Promise<void>
  searchOptions: (blockId: string, actionId: string, query: string) => Promise<OptionsAnswer | ErrorResponse>
}

export const SurfaceContext = createContext<Surface | undefined>(undefined)

/** A surface that shows blocks and sends nothing to the app. */
export const READ_ONLY_SURFACE: Surface = {
  ref: { kind: 'view', viewId: '' },
  values: {},
  setValue: () => undefined,
  sendAction: async () => undefined,
  searchOptions: async () => ({ ok: true, options: [] }),
}

export function useSurface(): Surface {
  return useRequiredContext(SurfaceContext)
}

/** Creates a surface that stores the entered values until the component unmounts. */
export function useNewSurface(
  ref: SurfaceRef,
  blocks: readonly Block[],
  onChange?: (blockId: string) => void,
): Surface {
  const { client } = useActions()
  const showFailure = useShowFailure()
  const [typed, setTyped] = useState<InputValues>({})
  const values = useMemo(() => keepValidValues(blocks, typed), [blocks, typed])
  return {
    ref,
    values,
    setValue: (blockId, actionId, value) => {
      setTyped((before) => withValue(before, blockId, actionId, value))
      onChange?.(blockId)
    },
    sendAction: async (blockId, actionId, value) => {
      const allValues = value === undefined ? values : withValue(values, blockId, actionId, value)
      const choice = value === undefined ? {} : { value }
      showFailure(await client.action({ surface: ref, blockId, actionId, values: allValues, ...choice }))
    },
    searchOptions: (blockId, actionId, query) => client.options({ surface: ref, blockId, actionId, query }),
  }
}
