import { useState } from 'react'
import type { InputValue } from '../../protocol.ts'
import { useConfirm } from '../confirm.tsx'
import { useSurface } from '../surface.ts'
import { currentValue } from '../values.ts'
import type { Element } from '../wire.ts'

/** Where an element is, and how it's identified. */
export interface Slot {
  blockId: string
  element: Element
  /** Its accessible name if it has no visible label. */
  name: string
  /** Set inside an input block. */
  input?: {
    /** The ID that the visible label refers to; a group of controls is labeled by `${id}-label`. */
    id: string
    describedBy: string | undefined
    invalid: boolean
    required: boolean
    /** Whether the app gets every change. */
    dispatches: boolean
  }
}

/** Attributes that connect a control to its label, hint, and error, or name it if it has no label. */
export function controlAttributes({ input, name }: Slot) {
  if (!input) return { 'aria-label': name }
  return {
    id: input.id,
    'aria-describedby': input.describedBy,
    'aria-invalid': input.invalid,
    'aria-required': input.required,
  }
}

/** The same for a control of the library, which connects its own parts. */
export function ariaAttributes({ input, name }: Slot) {
  if (!input) return { 'aria-label': name }
  return {
    id: input.id,
    'aria-labelledby': `${input.id}-label`,
    isInvalid: input.invalid,
    isRequired: input.required,
    ...(input.describedBy !== undefined && { 'aria-describedby': input.describedBy }),
  }
}

/** The same for a group of controls (checkboxes, radio buttons). */
export function groupAttributes({ input, name }: Slot) {
  if (!input) return { 'aria-label': name }
  return { 'aria-labelledby': `${input.id}-label`, 'aria-describedby': input.describedBy }
}

export interface Held {
  value: InputValue
  /** True while the app hasn't acknowledged the last choice. */
  busy: boolean
  /** Keeps what is typed, without sending it to the app yet. */
  type: (value: InputValue) => void
  /**
   * Keeps it and, outside of input blocks or if the app asked for it, sends it to the app, after a confirmation if the app wants
   * one.
   */
  choose: (value: InputValue) => Promise<void>
  /** Sends an action without a value (buttons), or with one that isn't kept (overflow menus). */
  press: (value?: InputValue) => Promise<void>
}

export function useElement({ blockId, element, input }: Slot): Held {
  const surface = useSurface()
  const ask = useConfirm()
  const [busy, setBusy] = useState(false)
  const tell = async (value?: InputValue) => {
    setBusy(true)
    await surface.act(blockId, element.action_id, value)
    setBusy(false)
  }
  const agreed = async () => element.confirm === undefined || (await ask(element.confirm))
  const type = (value: InputValue) => surface.change(blockId, element.action_id, value)
  return {
    value: currentValue(surface.values, blockId, element),
    busy,
    type,
    choose: async (value) => {
      const dispatches = input?.dispatches ?? true
      if (dispatches && !(await agreed())) return
      type(value)
      if (dispatches) await tell(value)
    },
    press: async (value) => {
      if (await agreed()) await tell(value)
    },
  }
}
