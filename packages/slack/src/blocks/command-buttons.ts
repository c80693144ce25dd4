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

/** A menu each of whose choices runs a command line (its `value`); the answer takes the message's place unless told not to. */
export function commandMenu(
  placeholder: string,
  choices: readonly Choice[],
  { inPlace = true }: { inPlace?: boolean } = {},
): StaticSelect {
  return menu(placeholder, inPlace ? COMMAND_IN_PLACE : COMMAND, choices)
}

/** Whether a button says the same as an option of a menu: one that asks first, or takes the message's place, does not. */
export const foldable = ({ action_id, confirm }: Button): boolean => action_id === COMMAND && !confirm

/** Buttons behind `···`, at most five, no line twice; a button where it is one, and nothing where there is none. */
export function overflow(all: readonly Button[]): (Button | Overflow)[] {
  const buttons = all.filter(({ value }, at) => all.findIndex((one) => one.value === value) === at)
  if (buttons.length < 2) return buttons
  const options = buttons.map(({ text, value = '' }) => option({ label: text.text, value }))
  return [{ type: 'overflow', action_id: COMMAND, options }]
}

export const isCommandElement = (actionId: string): boolean => COMMAND_ACTION.test(actionId)
export const isInPlace = (actionId: string): boolean => actionId.startsWith(COMMAND_IN_PLACE)

/**
 * The blocks as they leave for Slack, made in one walk: each command line as `written` writes it for the room that there is, without the
 * buttons and choices for which it writes none, and with action ids that are unique and say nothing.
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
  blocks.some((block) => elementsOf(block).some(isCommandButton))

const SHARE = / --share\b/

/**
 * The blocks for a message that many see: nothing on it takes its place, since whatever a press comes to is for whoever pressed. It
 * is not shared again, and **Open for me** takes the place of **Refresh**.
 */
export function forSharedMessage(blocks: readonly KnownBlock[]): KnownBlock[] {
  const choices = blocks.flatMap<Element>(elementsOf).filter(isCommandButton).flatMap(choicesOf)
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

/** A line that can be pressed or chosen; `asks`: Slack asks first whether that is meant. */
export interface Command {
  label: string
  line: string
  asks: boolean
  style?: string | undefined
}

/** The lines of each button and menu in blocks, in their order. */
export const commandsIn = (blocks: readonly KnownBlock[]): Command[][] =>
  blocks
    .flatMap<Element>(elementsOf)
    .filter(isCommandButton)
    .map((element) =>
      choicesOf(element).map(({ text, value = '' }) => ({
        label: text?.text ?? '',
        line: value,
        asks: element.confirm !== undefined,
        style: element.type === 'button' ? element.style : undefined,
      })),
    )

/** What can be pressed or chosen in it. */
const choicesOf = (element: CommandElement) => {
  const { action_id = '' } = element
  const all: readonly { value?: string; text?: { text: string } }[] =
    element.type === 'button' ? [element] : (element.options ?? [])
  return all.map(({ value, text }) => ({ action_id, value, text }))
}

/** The blocks without the buttons and choices whose line is unwanted, and without rows that are empty then. */
export function withoutCommands(
  blocks: readonly KnownBlock[],
  isUnwanted: (line: string) => boolean,
): KnownBlock[] {
  const wanted = (line: string): string | undefined => (isUnwanted(line) ? undefined : line)
  return blocks.flatMap((block) =>
    withElements(block, (element) => (isCommandButton(element) ? withLines(element, wanted) : element)),
  )
}

/** The element with its lines written anew, without the choices for which none is written; undefined when none is left. */
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
  // Slack refuses an overflow menu of one.
  if (element.type === 'overflow')
    return options.length > 1 ? { ...element, options } : button(only.text.text, COMMAND, only.value)
  const { initial_option: initial, ...rest } = element
  const value = initial && written(initial.value ?? '', LIMITS.optionValue)
  // Slack refuses a menu whose choice is none of its options.
  const isChosen = value !== undefined && options.some((one) => one.value === value)
  return { ...rest, options, ...(isChosen && initial && { initial_option: { ...initial, value } }) }
}

type Element = NonNullable<ReturnType<typeof elementsOf>[number]>

function elementsOf(block: KnownBlock) {
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

/** The block with what comes of its elements; without those of which nothing does, and no row of none. */
function withElements(block: KnownBlock, change: (element: Element) => Element | undefined): KnownBlock[] {
  if (block.type === 'section' && block.accessory) {
    const { accessory, ...rest } = block
    // What comes of an element may stand where that stood.
    const changed = change(accessory) as typeof accessory | undefined
    return [changed ? { ...rest, accessory: changed } : rest]
  }
  if (block.type !== 'actions') return [block]
  const elements = block.elements.flatMap((element) => change(element) ?? []) as typeof block.elements
  return elements.length > 0 ? [{ ...block, elements }] : []
}
