import type { Button, KnownBlock, Overflow, StaticSelect } from '@slack/types'
import { button, type Choice, menu, option } from './elements.ts'
import { LIMITS } from './limits.ts'

/** Marks an element whose value is a command line. */
const COMMAND = 'command'
const COMMAND_IN_PLACE = 'command-in-place'
const COMMAND_ACTION = /^command(-in-place)?(\.\d+)*$/

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

/** A menu whose options each run a command line (their `value`). The answer replaces the message unless told not to. */
export function commandMenu(
  placeholder: string,
  choices: readonly Choice[],
  { inPlace = true }: { inPlace?: boolean } = {},
): StaticSelect {
  return menu(placeholder, inPlace ? COMMAND_IN_PLACE : COMMAND, choices)
}

/** Whether a button can become a menu option: not if it asks first, or replaces the message. */
export const foldable = ({ action_id, confirm }: Button): boolean => action_id === COMMAND && !confirm

/** Buttons behind `···`, at most five, without duplicates; a plain button if there is one, nothing if there is none. */
export function overflow(all: readonly Button[]): (Button | Overflow)[] {
  const buttons = all.filter(({ value }, at) => all.findIndex((one) => one.value === value) === at)
  if (buttons.length < 2) return buttons
  const options = buttons.map(({ text, value = '' }) => option({ label: text.text, value }))
  return [{ type: 'overflow', action_id: COMMAND, options }]
}

export const isCommandElement = (actionId: string): boolean => COMMAND_ACTION.test(actionId)
export const isInPlace = (actionId: string): boolean => actionId.startsWith(COMMAND_IN_PLACE)

/**
 * The blocks as they are sent, built in one pass: each command line as `written` writes it for the available space, without
 * the buttons and options for which it returns nothing, and with unique, meaningless action IDs.
 */
export function bindCommandButtons(
  blocks: readonly KnownBlock[],
  written: (line: string, most: number) => string | undefined,
): KnownBlock[] {
  let count = 0
  return blocks.flatMap((block) =>
    withElements(block, (element) => {
      if (!isCommandButton(element)) return element
      const bound = withLines(element, written)
      return bound && { ...bound, action_id: `${bound.action_id}.${count++}` }
    }),
  )
}

export const hasCommandButtons = (blocks: readonly KnownBlock[]): boolean =>
  blocks.some((block) => listElements(block).some(isCommandButton))

const SHARE = / --share\b/

/**
 * The blocks for a message that many people see. Buttons don't replace the message, because the result is for the person who
 * pressed. It can't be shared again, and **Open for me** replaces **Refresh**.
 */
export function forSharedMessage(blocks: readonly KnownBlock[]): KnownBlock[] {
  const choices = blocks.flatMap<Element>(listElements).filter(isCommandButton).flatMap(listChoices)
  const share = choices.find(({ value = '' }) => SHARE.test(value))
  const refresh = choices.find(({ action_id, text }) => isInPlace(action_id) && text?.text === 'Refresh')
  const line = (share ?? refresh)?.value?.replace(SHARE, '')
  const target = refresh ?? share
  const opens = (value?: string, text?: { text: string }): boolean =>
    target?.value === value && target?.text?.text === text?.text
  const opened = (element: CommandElement): CommandElement => {
    if (line === undefined || element.type === 'static_select') return { ...element, action_id: COMMAND }
    const button = commandButton('Open for me', line)
    if (element.type === 'button')
      return opens(element.value, element.text) ? button : { ...element, action_id: COMMAND }
    const options = element.options.map((one) =>
      opens(one.value, one.text) ? { ...one, text: button.text, value: line } : one,
    )
    return { ...element, options, action_id: COMMAND }
  }
  const rest = blocks.flatMap((block) =>
    withElements(block, (element) => (isCommandButton(element) ? opened(element) : element)),
  )
  return withoutCommands(rest, (line) => SHARE.test(line))
}

/** A command line that can be pressed or chosen. With `asks`, Slack asks for confirmation first. */
export interface Command {
  label: string
  line: string
  asks: boolean
  style?: string | undefined
}

/** The command lines of each button and menu in blocks, in order. */
export const commandsIn = (blocks: readonly KnownBlock[]): Command[][] =>
  blocks
    .flatMap<Element>(listElements)
    .filter(isCommandButton)
    .map((element) =>
      listChoices(element).map(({ text, value = '' }) => ({
        label: text?.text ?? '',
        line: value,
        asks: element.confirm !== undefined,
        style: element.type === 'button' ? element.style : undefined,
      })),
    )

/** The element's buttons and options. */
const listChoices = (element: CommandElement) => {
  const { action_id = '' } = element
  const all: readonly { value?: string; text?: { text: string } }[] =
    element.type === 'button' ? [element] : (element.options ?? [])
  return all.map(({ value, text }) => ({ action_id, value, text }))
}

/** The blocks without buttons and options whose line is unwanted, and without rows that become empty. */
export function withoutCommands(
  blocks: readonly KnownBlock[],
  isUnwanted: (line: string) => boolean,
): KnownBlock[] {
  const wanted = (line: string): string | undefined => (isUnwanted(line) ? undefined : line)
  return blocks.flatMap((block) =>
    withElements(block, (element) => (isCommandButton(element) ? withLines(element, wanted) : element)),
  )
}

/** The element with new lines. Options without a line are removed. Undefined if none is left. */
function withLines(
  element: CommandElement,
  written: (line: string, most: number) => string | undefined,
): CommandElement | undefined {
  if (element.type === 'button') {
    const value = written(element.value ?? '', LIMITS.buttonValue)
    return value === undefined ? undefined : { ...element, value }
  }
  const all = element.options ?? []
  const options = all.flatMap((choice) => {
    const value = written(choice.value ?? '', LIMITS.optionValue)
    return value === undefined ? [] : [{ ...choice, value }]
  })
  const [only] = options
  if (!only) return undefined
  // Slack rejects an overflow menu with one option.
  if (element.type === 'overflow')
    return options.length > 1 ? { ...element, options } : button(only.text.text, COMMAND, only.value)
  const { initial_option: initial, ...rest } = element
  const value = initial && written(initial.value ?? '', LIMITS.optionValue)
  // Slack rejects a menu whose initial option isn't among its options.
  const isChosen = value !== undefined && options.some((one) => one.value === value)
  return { ...rest, options, ...(isChosen && initial && { initial_option: { ...initial, value } }) }
}

type Element = NonNullable<ReturnType<typeof listElements>[number]>

function listElements(block: KnownBlock) {
  if (block.type === 'actions') return block.elements
  if (block.type === 'section' && block.accessory) return [block.accessory]
  return []
}

type CommandElement = Button | StaticSelect | Overflow

function isCommandButton(element: Element): element is CommandElement {
  return (
    (element.type === 'button' || element.type === 'static_select' || element.type === 'overflow') &&
    element.action_id !== undefined &&
    isCommandElement(element.action_id)
  )
}

/** The block with its elements mapped. Elements that map to nothing and empty rows are removed. */
function withElements(block: KnownBlock, change: (element: Element) => Element | undefined): KnownBlock[] {
  if (block.type === 'section' && block.accessory) {
    const { accessory, ...rest } = block
    // A mapped element fits where the original was.
    const changed = change(accessory) as typeof accessory | undefined
    return [changed ? { ...rest, accessory: changed } : rest]
  }
  if (block.type !== 'actions') return [block]
  const elements = block.elements.flatMap((element) => change(element) ?? []) as typeof block.elements
  return elements.length > 0 ? [{ ...block, elements }] : []
}
