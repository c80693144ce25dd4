// This folder: one component per interactive element.

import type { ReactNode } from 'react'
import { ButtonElement } from './button.tsx'
import { ChoicesElement } from './choices.tsx'
import { FileInputElement } from './file-input.tsx'
import { OverflowElement } from './overflow.tsx'
import { SearchElement, SelectElement } from './select.tsx'
import type { Slot } from './slot.ts'
import { TextInputElement } from './text-input.tsx'

type ElementComponent = (props: { slot: Slot }) => ReactNode

/** One component for each type of element that the app sends. */
const ELEMENTS: Readonly<Record<string, ElementComponent>> = {
  button: ButtonElement,
  overflow: OverflowElement,
  static_select: SelectElement,
  conversations_select: SelectElement,
  multi_external_select: SearchElement,
  checkboxes: ChoicesElement,
  plain_text_input: TextInputElement,
  number_input: TextInputElement,
  file_input: FileInputElement,
}

/** Elements with several controls. Their label names the group instead of one field. */
export const GROUP_TYPES: ReadonlySet<string> = new Set(['checkboxes'])

/** The types of elements that have no value of their own. */
const VALUELESS_TYPES: ReadonlySet<string> = new Set(['button', 'overflow'])

/**
 * React's key of an element. Slack stores values by block ID and action ID. A button or menu that says something else is another one,
 * so that a press that began before an update doesn't press it.
 */
function createKey({ blockId, element }: Slot): string {
  const { type, action_id, text, options = [] } = element
  if (!VALUELESS_TYPES.has(type)) return `${blockId} ${action_id}`
  const texts = [text, ...options.map((option) => option.text)]
  return JSON.stringify([type, action_id, ...texts.map((object) => object?.text)])
}

export function ElementView({ slot }: { slot: Slot }) {
  const Renderer = ELEMENTS[slot.element.type]
  return Renderer && <Renderer key={createKey(slot)} slot={slot} />
}
