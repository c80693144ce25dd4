import type { Button, KnownBlock, Overflow, PlainTextOption, StaticSelect } from '@slack/types'
import { button, type Choice, confirmation, menu, option } from './elements.ts'
import { LIMITS } from './limits.ts'

/** The action ID of an element whose value is a command line. */
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
  { inPlace = true, confirm }: Pick<CommandButtonOptions, 'inPlace' | 'confirm'> = {},
): StaticSelect {
  return {
    ...menu(placeholder, inPlace ? COMMAND_IN_PLACE : COMMAND, choices),
    ...(confirm && { confirm: confirmation(confirm) }),
  }
}

/** Whether a button can become a menu option. It can't if it asks for confirmation or replaces the message. */
export const isFoldable = ({ action_id, confirm }: Button): boolean => action_id === COMMAND && !confirm

/** Puts at most five buttons behind `···`, without duplicates. A single button stays a button. */
export function overflow(all: readonly Button[]): (Button | Overflow)[] {
  const buttons = [...new Map(all.map((button) => [button.value, button])).values()]
  if (buttons.length < 2) return buttons
  const options = buttons.map(({ text, value = '' }) => option({ label: text.text, value }))
  return [{ type: 'overflow', action_id: COMMAND, options }]
}

export const isCommandElement = (actionId: string): boolean => COMMAND_ACTION.test(actionId)
export const isInPlace = (actionId: string): boolean => actionId.startsWith(COMMAND_IN_PLACE)

/** Returns the new line of a command, or its new label and line. Undefined removes the button or option. */
type Rewrite = (
  line: string,
  maxLength: number,
  label: string,
) => string | { readonly label: string; readonly line: string } | undefined

/** Prepares blocks for sending. `rewrite` shortens each line. The elements get unique, meaningless action IDs. */
export function bindCommandButtons(blocks: readonly KnownBlock[], rewrite: Rewrite): KnownBlock[] {
  let count = 0
  return rewriteCommands(blocks, rewrite, (actionId) => `${actionId}.${count++}`)
}

export const hasCommandButtons = (blocks: readonly KnownBlock[]): boolean =>
  listCommandElements(blocks).length > 0

const SHARE_FLAG = / --share\b/

/**
 * Adapts blocks for a message that many people see. Its buttons don't replace the message, because the result is only for the
 * person who pressed. **Open for me** replaces **Refresh** or, if there is none, **Share**. The message can't be shared again.
 */
export function forSharedMessage(blocks: readonly KnownBlock[]): KnownBlock[] {
  const choices = listCommandElements(blocks).flatMap(listChoices)
  const share = choices.find(({ value = '' }) => SHARE_FLAG.test(value))
  const refresh = choices.find(({ action_id, text }) => isInPlace(action_id) && text?.text === 'Refresh')
  const replaced = refresh ?? share
  const openForMe = { label: 'Open for me', line: (share ?? refresh)?.value?.replace(SHARE_FLAG, '') ?? '' }
  const rewrite: Rewrite = (line, _, label) => {
    if (replaced && line === replaced.value && label === replaced.text?.text) return openForMe
    return SHARE_FLAG.test(line) ? undefined : line
  }
  return rewriteCommands(blocks, rewrite, () => COMMAND)
}

/** The command line of a button or option. */
export interface Command {
  label: string
  line: string
  style?: string | undefined
}

/** Lists the command lines of each button and menu, in order. */
export const listCommands = (blocks: readonly KnownBlock[]): Command[][] =>
  listCommandElements(blocks).map((element) =>
    listChoices(element).map(({ text, value = '' }) => ({
      label: text?.text ?? '',
      line: value,
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
export const withoutCommands = (
  blocks: readonly KnownBlock[],
  isUnwanted: (line: string) => boolean,
): KnownBlock[] => rewriteCommands(blocks, (line) => (isUnwanted(line) ? undefined : line))

/** Rewrites the command lines of an element, and removes options without a line. Returns undefined if none is left. */
function rewriteLines(element: CommandElement, rewrite: Rewrite): CommandElement | undefined {
  if (element.type === 'button') {
    const command = rewrite(element.value ?? '', LIMITS.buttonValue, element.text.text)
    if (typeof command === 'object') return commandButton(command.label, command.line)
    return command === undefined ? undefined : { ...element, value: command }
  }
  const options = rewriteOptions(element, rewrite)
  const [only] = options
  if (!only) return undefined
  // Slack rejects an overflow menu with one option.
  if (element.type === 'overflow')
    return options.length > 1 ? { ...element, options } : button(only.text.text, COMMAND, only.value ?? '')
  const { initial_option: initial, ...rest } = element
  const value = initial && rewrite(initial.value ?? '', LIMITS.optionValue, initial.text?.text ?? '')
  // Slack rejects a menu whose initial option isn't among its options.
  const chosen = options.find((choice) => choice.value === value)
  return { ...rest, options, ...(chosen && { initial_option: chosen }) }
}

const rewriteOptions = ({ options = [] }: StaticSelect | Overflow, rewrite: Rewrite): PlainTextOption[] =>
  options.flatMap((choice) => {
    const command = rewrite(choice.value ?? '', LIMITS.optionValue, choice.text.text)
    if (typeof command === 'object') return [option({ label: command.label, value: command.line })]
    return command === undefined ? [] : [{ ...choice, value: command }]
  })

type Element = NonNullable<ReturnType<typeof listElements>[number]>

const listCommandElements = (blocks: readonly KnownBlock[]): CommandElement[] =>
  blocks.flatMap<Element>(listElements).filter(isCommandButton)

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

/** Rewrites all command lines, and the action IDs of what is left. Removes elements without a line, and rows that become empty. */
function rewriteCommands(
  blocks: readonly KnownBlock[],
  rewrite: Rewrite,
  toActionId = (actionId: string | undefined) => actionId,
): KnownBlock[] {
  const rewriteElement = (element: Element) => {
    if (!isCommandButton(element)) return element
    const rewritten = rewriteLines(element, rewrite)
    return rewritten && { ...rewritten, action_id: toActionId(rewritten.action_id) }
  }
  return blocks.flatMap((block): KnownBlock[] => {
    if (block.type === 'section' && block.accessory) {
      const { accessory, ...rest } = block
      // Casts here and below: the rewritten element is allowed wherever the original was.
      const rewritten = rewriteElement(accessory) as typeof accessory | undefined
      return [rewritten ? { ...rest, accessory: rewritten } : rest]
    }
    if (block.type !== 'actions') return [block]
    const elements = block.elements.flatMap(
      (element) => rewriteElement(element) ?? [],
    ) as typeof block.elements
    return elements.length > 0 ? [{ ...block, elements }] : []
  })
}
