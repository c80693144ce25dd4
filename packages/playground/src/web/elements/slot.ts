import { useState } from 'react'
import type { InputValue } from '../../protocol/answers.ts'
import type { Element } from '../block-kit.ts'
import { useConfirm } from '../confirm.tsx'
import { useSurface } from '../surface.ts'
import { currentValue } from '../values.ts'

/** An element and its place in a block: the block's ID, and if the block is an input block, its settings. */
export interface Slot {
  blockId: string
  element: Element
  /** The accessible name if there is no visible label. */
  name: string
  /** Set inside an input block. */
  input?: {
    /** The control's ID, which the visible label refers to. The label's own ID is `${id}-label`. */
    id: string
    describedBy: string | undefined
    invalid: boolean
    required: boolean
    /** Whether every change is sent to the app (`dispatch_action`). */
    dispatches: boolean
  }
}

/** Attributes that connect a native control to its label, hint, and error. A control without a label gets an accessible name. */
export function controlAttributes({ input, name }: Slot) {
  if (!input) return { 'aria-label': name }
  return {
    id: input.id,
    'aria-describedby': input.describedBy,
    'aria-invalid': input.invalid,
    'aria-required': input.required,
  }
}

/** Like `controlAttributes`, for a group of controls such as checkboxes. */
export function groupAttributes({ input, name }: Slot) {
  if (!input) return { 'aria-label': name }
  return { 'aria-labelledby': `${input.id}-label`, 'aria-describedby': input.describedBy }
}

interface ElementState {
  value: InputValue
  /** True until the app has acknowledged the last choice. */
  busy: boolean
  /**
   * Stores a choice. Outside of input blocks, or if the input block has `dispatch_action`, also sends the choice to the app. If the
   * element has a confirmation dialog, the person must confirm first.
   */
  choose: (value: InputValue) => Promise<void>
  /** Sends an action without a value (buttons), or with a value that isn't stored (overflow menus, feedback buttons). */
  press: (value?: InputValue) => Promise<void>
}

export function useElement({ blockId, element, input }: Slot): ElementState {
  const surface = useSurface()
  const askConfirmation = useConfirm()
  const [busy, setBusy] = useState(false)
  const sendAction = async (value?: InputValue) => {
    setBusy(true)
    await surface.sendAction(blockId, element.action_id, value)
    setBusy(false)
  }
  const isConfirmed = async () => element.confirm === undefined || (await askConfirmation(element.confirm))
  return {
    value: currentValue(surface.values, blockId, element),
    busy,
    choose: async (value) => {
      const dispatches = input?.dispatches ?? true
      if (dispatches && !(await isConfirmed())) return
      surface.setValue(blockId, element.action_id, value)
      if (dispatches) await sendAction(value)
    },
    press: async (value) => {
      if (await isConfirmed()) await sendAction(value)
    },
  }
}
