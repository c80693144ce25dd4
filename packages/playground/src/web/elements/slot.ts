import { useState } from 'react'
import type { InputValue } from '../../protocol.ts'
import { useConfirm } from '../confirm.tsx'
import { useSurface } from '../surface.ts'
import { currentValue } from '../values.ts'
import type { Element } from '../wire.ts'

/** Where an element stands and what names it. */
export interface Slot {
  blockId: string
  element: Element
  /** Its accessible name where no visible label is tied to it. */
  name: string
  /** Set inside an input block. */
  input?: {
    /** The id that the visible label points to; a group of controls is labelled by `${id}-label`. */
    id: string
    describedBy: string | undefined
    invalid: boolean
    required: boolean
    /** Whether the app is told of every change. */
    dispatches: boolean
  }
}

/** Attributes that tie one control to its label, hint and error, or name it where there is no label. */
export function controlAttributes({ input, name }: Slot) {
  if (!input) return { 'aria-label': name }
  return {
    id: input.id,
    'aria-describedby': input.describedBy,
    'aria-invalid': input.invalid,
    'aria-required': input.required,
  }
}

/** The same for a control of the library's, which ties its own parts together. */
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
  /** True while the app has not acknowledged the last choice. */
  busy: boolean
  /** Keeps what is typed, and tells nobody yet. */
  type: (value: InputValue) => void
  /** Keeps it and, outside input blocks or where the app asked for it, tells the app; asks first if the app wants that. */
  choose: (value: InputValue) => Promise<void>
  /** Tells the app without a value (buttons), or with one that is not kept (overflow). */
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
