import { isCommandElement, LIMITS, type Message } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { RUN } from './tools.ts'

/** What Slackbot draws; one block of another kind, and it draws none (Slack's notes of 2026-09; not in its reference). */
const DRAWN: ReadonlySet<string> = new Set([
  'context',
  'divider',
  'header',
  'markdown',
  'rich_text',
  'section',
  'image',
  'data_table',
  'data_visualization',
  'table',
  'card',
  'container',
])
const MOST_BLOCKS = 50
/** A menu's lines become buttons, each in a row of its own. */
const MOST_OF_A_MENU = 5

interface Choice {
  label: string
  value: string
  style?: string | undefined
}

/** The blocks of an answer as Slackbot draws them: each button calls the tool that runs its line, alone in its row. */
export async function slackbotBlocks(
  { blocks }: Pick<Message, 'blocks'>,
  /** What the button gives the tool; undefined for a button that is left out. */
  argumentsOf: (value: string) => Promise<object | undefined>,
): Promise<object[]> {
  const drawn: object[] = []
  for (const block of blocks) {
    const { plain, choices } = taken(block)
    if (plain) drawn.push(plain)
    for (const { label, value, style } of choices) {
      const given = JSON.stringify(await argumentsOf(value))
      if (given === undefined || given.length > LIMITS.buttonValue) continue
      const text = { type: 'plain_text', text: label }
      const element = {
        type: 'button',
        action_id: `tool:${RUN}`,
        text,
        value: given,
        ...(style && { style }),
      }
      drawn.push({ type: 'actions', elements: [element] })
    }
  }
  return drawn.slice(0, MOST_BLOCKS)
}

/** A block without what can be pressed in it, and what that is. */
function taken(block: KnownBlock): { plain?: object; choices: Choice[] } {
  if (block.type === 'actions') return { choices: block.elements.flatMap(choicesOf) }
  if (!DRAWN.has(block.type)) return { choices: [] }
  if (block.type !== 'section' || !block.accessory) return { plain: block, choices: [] }
  const { accessory, ...plain } = block
  return { plain, choices: choicesOf(accessory) }
}

/** The lines of a button or a menu of ours; of anything else, none. */
function choicesOf(element: object): Choice[] {
  const { action_id, text, value, style, options } = element as {
    action_id?: string
    text?: { text: string }
    value?: string
    style?: string
    options?: { text: { text: string }; value?: string }[]
  }
  if (action_id === undefined || !isCommandElement(action_id)) return []
  if (options)
    return options.slice(0, MOST_OF_A_MENU).map((one) => ({ label: one.text.text, value: one.value ?? '' }))
  return text && value !== undefined ? [{ label: text.text, value, style }] : []
}
