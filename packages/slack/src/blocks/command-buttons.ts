import type { Button, KnownBlock, PlainTextOption, StaticSelect } from '@slack/types'
import { button, type Choice, menu } from './elements.ts'
import { LIMITS } from './limits.ts'

/** Marks an element whose value is a command line. */
const COMMAND = 'offer'
const COMMAND_IN_PLACE = 'offer-in-place'
const COMMAND_ACTION = /^offer(-in-place)?(\.\d+)?$/

interface CommandButtonOptions extends NonNullable<Parameters<typeof button>[3]> {
  /** The answer replaces the message with the button (paging, refresh) instead of following it. */
  inPlace?: boolean
}

/** A button that runs a command line as if the person had typed it, e.g. `commandButton('Alerts', '/hc alerts 3f2a…')`. */
export function commandButton(
  label: string,
  line: string,
  { inPlace, ...options }: CommandButtonOptions = {},
): Button {
  return button(label, inPlace ? COMMAND_IN_PLACE : COMMAND, line, options)
}

/** A menu each of whose choices runs a command line (its `value`); the answer takes the message's place unless told not to. */
export function commandMenu(
  placeholder: string,
  choices: readonly Choice[],
  { inPlace = true }: { inPlace?: boolean } = {},
): StaticSelect {
  return menu(placeholder, inPlace ? COMMAND_IN_PLACE : COMMAND, choices)
}

export const isCommandElement = (actionId: string): boolean => COMMAND_ACTION.test(actionId)
export const isInPlace = (actionId: string): boolean => actionId.startsWith(COMMAND_IN_PLACE)

/**
 * The blocks as they leave for Slack: each command line as `written` writes it for the room that there is, and action ids
 * that are unique and say nothing.
 */
export function bindCommandButtons(
  blocks: readonly KnownBlock[],
  written: (line: string, most: number) => string,
): KnownBlock[] {
  let count = 0
  return blocks.map((block) =>
    mapElements(block, (element) => {
      if (!isCommandButton(element)) return element
      const action_id = `${element.action_id}.${count++}`
      if (element.type === 'button')
        return { ...element, action_id, value: written(element.value ?? '', LIMITS.buttonValue) }
      const bound = (choice: PlainTextOption) => ({
        ...choice,
        value: written(choice.value ?? '', LIMITS.optionValue),
      })
      const { initial_option: initial, options = [] } = element
      return {
        ...element,
        action_id,
        options: options.map(bound),
        ...(initial && { initial_option: bound(initial) }),
      }
    }),
  )
}

export const hasOffers = (blocks: readonly KnownBlock[]): boolean =>
  blocks.some((block) => elementsOf(block).some(isCommandButton))

const SHARE = / --share\b/

/**
 * The blocks for a message that many see: nothing on it takes its place, since whatever a press comes to is for whoever pressed. It
 * is not shared again, and **Open for me** takes the place of **Refresh**.
 */
export function openedByEach(blocks: readonly KnownBlock[]): KnownBlock[] {
  const buttons = blocks.flatMap<Element>(elementsOf).filter((element) => element.type === 'button')
  const shares = buttons.find(({ value }) => SHARE.test(value ?? ''))
  const refresh = buttons.find((one) => isInPlace(one.action_id ?? '') && one.text.text === 'Refresh')
  const line = (shares ?? refresh)?.value?.replace(SHARE, '')
  const rest = blocks.map((block) =>
    mapElements(block, (element) => {
      if (line !== undefined && element === (refresh ?? shares))
        // One of the buttons above, hence of their type.
        return commandButton('Open for me', line) as typeof element
      return isCommandButton(element) ? { ...element, action_id: COMMAND } : element
    }),
  )
  return withoutCommands(rest, (line) => SHARE.test(line))
}

/** The blocks without the buttons and choices whose line is unwanted, and without rows that are empty then. */
export function withoutCommands(
  blocks: readonly KnownBlock[],
  isUnwanted: (line: string) => boolean,
): KnownBlock[] {
  return blocks.flatMap((block): KnownBlock[] => {
    if (block.type === 'section' && block.accessory) {
      const { accessory, ...rest } = block
      return kept(accessory, isUnwanted) ? [block] : [rest]
    }
    if (block.type !== 'actions') return [block]
    const elements = block.elements.flatMap((element) => kept(element, isUnwanted) ?? [])
    return elements.length > 0 ? [{ ...block, elements }] : []
  })
}

/** The element with those of its choices that are wanted; undefined when nothing of it is. */
function kept<E extends Element>(element: E, isUnwanted: (line: string) => boolean): E | undefined {
  if (!isCommandButton(element)) return element
  if (element.type === 'button') return isUnwanted(element.value ?? '') ? undefined : element
  const options = (element.options ?? []).filter(({ value }) => !isUnwanted(value ?? ''))
  return options.length > 0 ? { ...element, options } : undefined
}

type Element = NonNullable<ReturnType<typeof elementsOf>[number]>

function elementsOf(block: KnownBlock) {
  if (block.type === 'actions') return block.elements
  if (block.type === 'section' && block.accessory) return [block.accessory]
  return []
}

function isCommandButton(element: Element): element is Button | StaticSelect {
  return (
    (element.type === 'button' || element.type === 'static_select') &&
    element.action_id !== undefined &&
    isCommandElement(element.action_id)
  )
}

function mapElements(block: KnownBlock, change: <E extends Element>(element: E) => E): KnownBlock {
  if (block.type === 'actions') return { ...block, elements: block.elements.map(change) }
  if (block.type === 'section' && block.accessory) return { ...block, accessory: change(block.accessory) }
  return block
}
