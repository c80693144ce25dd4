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

/** A menu whose options each run a command line (their `value`). By default, the answer replaces the message. */
export function commandMenu(
  placeholder: string,
  choices: readonly Choice[],
  { inPlace = true }: { inPlace?: boolean } = {},
): StaticSelect {
  return menu(placeholder, inPlace ? COMMAND_IN_PLACE : COMMAND, choices)
}

/** Whether a button can become a menu option. It can't if it asks for confirmation or replaces the message. */
export const isFoldable = ({ action_id, confirm }: Button): boolean => action_id === COMMAND && !confirm

/** Puts at most five buttons behind `···`, without duplicates. A single button stays a button. */
export function overflow(all: readonly Button[]): (Button | Overflow)[] {
  const buttons = all.filter(({ value }, at) => all.findIndex((one) => one.value === value) === at)
  if (buttons.length < 2) return buttons
  const options = buttons.map(({ text, value = '' }) => option({ label: text.text, value }))
  return [{ type: 'overflow', action_id: COMMAND, options }]
}

export const isCommandElement = (actionId: string): boolean => COMMAND_ACTION.test(actionId)
export const isInPlace = (actionId: string): boolean => actionId.startsWith(COMMAND_IN_PLACE)

/**
 * Prepares blocks for sending. `rewrite` shortens each command line to the given length. If it returns undefined, the
 * button or option is removed. The elements get unique, meaningless action IDs.
 */
export function bindCommandButtons(
  blocks: readonly KnownBlock[],
  rewrite: (line: string, maxLength: number) => string | undefined,
): KnownBlock[] {
  let count = 0
  return blocks.flatMap((block) =>
    mapElements(block, (element) => {
      if (!isCommandButton(element)) return element
      const bound = rewriteLines(element, rewrite)
      return bound && { ...bound, action_id: `${bound.action_id}.${count++}` }
    }),
  )
}

export const hasCommandButtons = (blocks: readonly KnownBlock[]): boolean =>
  blocks.some((block) => listElements(block).some(isCommandButton))

const SHARE_FLAG = / --share\b/

/**
 * Adapts blocks for a message that many people see. Its buttons don't replace the message, because the result is only for the
 * person who pressed. **Open for me** replaces **Refresh**, and the message can't be shared again.
 */
export function forSharedMessage(blocks: readonly KnownBlock[]): KnownBlock[] {
  const choices = blocks.flatMap<Element>(listElements).filter(isCommandButton).flatMap(listChoices)
  const share = choices.find(({ value = '' }) => SHARE_FLAG.test(value))
  const refresh = choices.find(({ action_id, text }) => isInPlace(action_id) && text?.text === 'Refresh')
  const line = (share ?? refresh)?.value?.replace(SHARE_FLAG, '')
  const target = refresh ?? share
  const isTarget = (value?: string, text?: { text: string }): boolean =>
    target?.value === value && target?.text?.text === text?.text
  const adapt = (element: CommandElement): CommandElement => {
    if (line === undefined || element.type === 'static_select') return { ...element, action_id: COMMAND }
    const button = commandButton('Open for me', line)
    if (element.type === 'button')
      return isTarget(element.value, element.text) ? button : { ...element, action_id: COMMAND }
    const options = element.options.map((one) =>
      isTarget(one.value, one.text) ? { ...one, text: button.text, value: line } : one,
    )
    return { ...element, options, action_id: COMMAND }
  }
  const rest = blocks.flatMap((block) =>
    mapElements(block, (element) => (isCommandButton(element) ? adapt(element) : element)),
  )
  return withoutCommands(rest, (line) => SHARE_FLAG.test(line))
}

/** The command line of a button or option. */
export interface Command {
  label: string
  line: string
  /** Slack asks for confirmation first. */
  needsConfirmation: boolean
  style?: string | undefined
}

/** Lists the command lines of each button and menu, in order. */
export const listCommands = (blocks: readonly KnownBlock[]): Command[][] =>
  blocks
    .flatMap<Element>(listElements)
    .filter(isCommandButton)
    .map((element) =>
      listChoices(element).map(({ text, value = '' }) => ({
        label: text?.text ?? '',
        line: value,
        needsConfirmation: element.confirm !== undefined,
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

/** Removes buttons and options with an unwanted line, and rows that become empty. */
export function withoutCommands(
  blocks: readonly KnownBlock[],
  isUnwanted: (line: string) => boolean,
): KnownBlock[] {
  const rewrite = (line: string): string | undefined => (isUnwanted(line) ? undefined : line)
  return blocks.flatMap((block) =>
    mapElements(block, (element) => (isCommandButton(element) ? rewriteLines(element, rewrite) : element)),
  )
}

/** Rewrites the command lines of an element, and removes options without a line. Returns undefined if none is left. */
function rewriteLines(
  element: CommandElement,
  rewrite: (line: string, maxLength: number) => string | undefined,
): CommandElement | undefined {
  if (element.type === 'button') {
    const value = rewrite(element.value ?? '', LIMITS.buttonValue)
    return value === undefined ? undefined : { ...element, value }
  }
  const all = element.options ?? []
  const options = all.flatMap((choice) => {
    const value = rewrite(choice.value ?? '', LIMITS.optionValue)
    return value === undefined ? [] : [{ ...choice, value }]
  })
  const [only] = options
  if (!only) return undefined
  // Slack rejects an overflow menu with one option.
  if (element.type === 'overflow')
    return options.length > 1 ? { ...element, options } : button(only.text.text, COMMAND, only.value)
  const { initial_option: initial, ...rest } = element
  const value = initial && rewrite(initial.value ?? '', LIMITS.optionValue)
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

/** Maps the elements of a block. Elements that map to undefined are removed, and so are empty rows. */
function mapElements(block: KnownBlock, change: (element: Element) => Element | undefined): KnownBlock[] {
  if (block.type === 'section' && block.accessory) {
    const { accessory, ...rest } = block
    // The changed element has the same type as the original.
    const changed = change(accessory) as typeof accessory | undefined
    return [changed ? { ...rest, accessory: changed } : rest]
  }
  if (block.type !== 'actions') return [block]
  const elements = block.elements.flatMap((element) => change(element) ?? []) as typeof block.elements
  return elements.length > 0 ? [{ ...block, elements }] : []
}
