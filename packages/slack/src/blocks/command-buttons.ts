import type {
  ActionsBlockElement,
  Button,
  KnownBlock,
  Overflow,
  PlainTextOption,
  SectionBlockAccessory,
  StaticSelect,
} from '@slack/types'
import { clipOptions } from './clip-apart.ts'
import { type Choice, type Confirm, confirmation, option } from './elements.ts'
import { LIMITS } from './limits.ts'
import { plain, withoutControlCharacters } from './text.ts'

/** The action ID of an element whose value is a command line. `rewriteCommands` adds a number. */
const COMMAND = 'command'
const COMMAND_IN_PLACE = 'command-in-place'

export const isInPlace = (actionId: string): boolean => actionId.startsWith(COMMAND_IN_PLACE)

interface CommandButtonOptions {
  /** `primary` is for the one step that a message asks for, never for one that undoes, takes away, or takes over. */
  style?: 'primary' | 'danger'
  confirm?: Confirm
  /** Read by screen readers instead of the label, for when several buttons of a message have the same label. */
  accessibilityLabel?: string
  /** The answer replaces the message with the button (paging, refresh) instead of following it. */
  inPlace?: boolean
}

/**
 * A button that runs a command line as if the person had typed it, e.g. `commandButton('Alerts', '/hc alerts 3f2a…')`. Slack sends the
 * line back in a signed payload. It isn't secret: it's part of the message's JSON.
 */
export function commandButton(label: string, line: string, options: CommandButtonOptions = {}): Button {
  const { style, confirm, accessibilityLabel, inPlace = false } = options
  return {
    type: 'button',
    text: plain(label, LIMITS.buttonText),
    action_id: inPlace ? COMMAND_IN_PLACE : COMMAND,
    value: withoutControlCharacters(line),
    ...(style && { style }),
    ...(confirm && { confirm: confirmation(confirm) }),
    ...(accessibilityLabel && { accessibility_label: plain(accessibilityLabel, LIMITS.buttonText).text }),
  }
}

/**
 * A menu whose options each run a command line (their `value`). By default, the answer replaces the message. Options after the first
 * 100 are cut, because Slack would reject the menu.
 */
export function commandMenu(
  placeholder: string,
  choices: readonly Choice[],
  { inPlace = true }: Pick<CommandButtonOptions, 'inPlace'> = {},
): StaticSelect {
  const first = choices.slice(0, LIMITS.options)
  const labels = clipOptions(
    first.map(({ label }) => label),
    LIMITS.optionText,
  )
  const shown = first.map((choice, index) => ({ ...choice, label: labels[index] ?? '' }))
  const chosen = shown.find((choice) => choice.chosen)
  return {
    type: 'static_select',
    action_id: inPlace ? COMMAND_IN_PLACE : COMMAND,
    placeholder: plain(placeholder, LIMITS.placeholder),
    options: shown.map(option),
    ...(chosen && { initial_option: option(chosen) }),
  }
}

/** Whether a button can become a menu option. It can't if it is primary, asks for confirmation, or replaces the message. */
export const isFoldable = ({ action_id, confirm, style }: Button): boolean =>
  action_id === COMMAND && !confirm && style !== 'primary'

/** Puts at most five buttons behind `···`, without duplicates. A single button stays a button. */
export function overflow(all: readonly Button[]): (Button | Overflow)[] {
  const buttons = [...new Map(all.map((button) => [button.value, button])).values()]
  if (buttons.length < 2) return buttons
  const options = buttons.map(({ text, value = '' }) => ({ text, value }))
  return [{ type: 'overflow', action_id: COMMAND, options }]
}

/** What a button or an option runs. */
interface Command {
  readonly label: string
  readonly line: string
}

/**
 * Rewrites the command of each button and option. Removes those without a command or with a line too long for Slack, and rows that
 * become empty. The action IDs become unique, which Slack requires, and don't reveal the line.
 */
export function rewriteCommands(
  blocks: readonly KnownBlock[],
  rewrite: (command: Command) => Command | undefined,
): KnownBlock[] {
  let count = 0

  function rewriteChoice<C extends Button | PlainTextOption>(choice: C): C[] {
    const command = rewrite({ label: choice.text.text, line: choice.value ?? '' })
    const maxLength = 'type' in choice ? LIMITS.buttonValue : LIMITS.optionValue
    if (!command || command.line.length > maxLength) return []
    return [{ ...choice, text: { ...choice.text, text: command.label }, value: command.line }]
  }

  function rewriteMenu(menu: StaticSelect | Overflow): Button | StaticSelect | Overflow | undefined {
    const options = menu.options?.flatMap(rewriteChoice) ?? []
    const [first] = options
    if (!first) return undefined
    // Slack rejects an overflow menu with one option.
    if (menu.type === 'overflow')
      return options.length > 1 ? { ...menu, options } : commandButton(first.text.text, first.value ?? '')
    const { initial_option: initial, ...others } = menu
    const [chosen] = initial ? rewriteChoice(initial) : []
    return { ...others, options, ...(chosen && { initial_option: chosen }) }
  }

  function rewriteElement(element: ActionsBlockElement | SectionBlockAccessory): (typeof element)[] {
    if (element.type !== 'button' && element.type !== 'static_select' && element.type !== 'overflow')
      return [element]
    const rewritten = element.type === 'button' ? rewriteChoice(element)[0] : rewriteMenu(element)
    return rewritten ? [{ ...rewritten, action_id: `${element.action_id}.${count++}` }] : []
  }

  return blocks.flatMap((block): KnownBlock[] => {
    if (block.type === 'section' && block.accessory) {
      const { accessory, ...section } = block
      // Casts here and below: the rewritten element is allowed wherever the original was.
      const [rewritten] = rewriteElement(accessory) as (typeof accessory)[]
      return [rewritten ? { ...section, accessory: rewritten } : section]
    }
    if (block.type !== 'actions') return [block]
    const elements = block.elements.flatMap(rewriteElement) as typeof block.elements
    return elements.length > 0 ? [{ ...block, elements }] : []
  })
}

const SHARE_FLAG = / --share\b/

/**
 * Adapts blocks for a message that many people see, and that can't be shared again. **Open for me** replaces **Refresh** or, if there
 * is none, **Share**: the result is only for the person who pressed.
 */
export function forSharedMessage(blocks: readonly KnownBlock[]): KnownBlock[] {
  const commands: Command[] = []
  rewriteCommands(blocks, (command) => {
    commands.push(command)
    return command
  })
  const share = commands.find(({ line }) => SHARE_FLAG.test(line))
  const refresh = commands.find(({ label }) => label === 'Refresh')
  const replaced = refresh ?? share
  const openForMe = { label: 'Open for me', line: (share ?? refresh)?.line.replace(SHARE_FLAG, '') ?? '' }
  return rewriteCommands(blocks, (command) => {
    if (command.line === replaced?.line && command.label === replaced.label) return openForMe
    return SHARE_FLAG.test(command.line) ? undefined : command
  })
}
