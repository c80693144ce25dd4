import { type Command, context, LIMITS, listCommands, type Message } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { pluralize } from '../../domain/wording.ts'
import { RUN_TOOL } from './tools.ts'

/**
 * The types of blocks that Slackbot renders. If a message has a block of any other type, Slackbot renders none of its blocks
 * (Slack's release notes of 2026-09; not in its reference).
 */
const SUPPORTED_BLOCKS: ReadonlySet<string> = new Set([
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
const MAX_BLOCKS = 50
/** How many options of a menu become buttons. Each button takes a row. */
const MAX_MENU_OPTIONS = 5

/** Converts the blocks of an answer for Slackbot: each button gets a row and calls the tool that runs its line. */
export async function buildSlackbotBlocks(
  { blocks }: Pick<Message, 'blocks'>,
  /** The button's arguments for the tool; undefined for a button that is left out. */
  buildArguments: (value: string) => Promise<object | undefined>,
): Promise<object[]> {
  // In parallel, because storing the line of a button waits for the disk.
  const converted = await Promise.all(
    blocks.map(async (block) => {
      const { withoutButtons, commands, omittedCount } = separateBlock(block)
      const rows = await Promise.all(commands.map((command) => buildButtonRow(command, buildArguments)))
      return { content: withoutButtons ? [withoutButtons] : [], rows: rows.flat(), omittedCount }
    }),
  )
  const sumBy = (getCount: (block: (typeof converted)[number]) => number) =>
    converted.reduce((sum, block) => sum + getCount(block), 0)
  // Text takes precedence: buttons must not displace the end of an answer.
  const freeBlocks = MAX_BLOCKS - sumBy(({ content }) => content.length)
  const buttonRowCount = sumBy(({ rows }) => rows.length)
  const omittedOptions = sumBy((block) => block.omittedCount)
  // If something is left out, one block is reserved for the note that says so.
  let remainingRows =
    omittedOptions === 0 && buttonRowCount <= freeBlocks ? freeBlocks : Math.max(0, freeBlocks - 1)
  const omittedCount = omittedOptions + Math.max(0, buttonRowCount - remainingRows)
  const shownBlocks = converted.flatMap(({ content, rows }) => {
    const shown = rows.slice(0, remainingRows)
    remainingRows -= shown.length
    return [...content, ...shown]
  })
  return [...shownBlocks, ...(omittedCount > 0 ? [context(formatOmittedNote(omittedCount))] : [])].slice(
    0,
    MAX_BLOCKS,
  )
}

const formatOmittedNote = (count: number): string =>
  `${pluralize(count, 'more choice')} ${count === 1 ? 'has' : 'have'} no button here. Type the command in Slack to see all.`

async function buildButtonRow(
  { label, line, style }: Command,
  buildArguments: (value: string) => Promise<object | undefined>,
): Promise<object[]> {
  const argumentsJson = JSON.stringify(await buildArguments(line))
  if (argumentsJson === undefined || argumentsJson.length > LIMITS.buttonValue) return []
  const text = { type: 'plain_text', text: label }
  const element = {
    type: 'button',
    action_id: `tool:${RUN_TOOL}`,
    text,
    value: argumentsJson,
    ...(style && { style }),
  }
  return [{ type: 'actions', elements: [element] }]
}

/** Separates a block from the commands of its buttons and menus. */
function separateBlock(block: KnownBlock): {
  withoutButtons?: object
  commands: Command[]
  /** Menu options that are left out. */
  omittedCount: number
} {
  const menus = listCommands([block])
  const commands = menus.flatMap((options) => options.slice(0, MAX_MENU_OPTIONS))
  const omittedCount = menus.flat().length - commands.length
  if (block.type === 'actions' || !SUPPORTED_BLOCKS.has(block.type)) return { commands, omittedCount }
  if (block.type !== 'section' || !block.accessory) return { withoutButtons: block, commands, omittedCount }
  const { accessory: _, ...withoutButtons } = block
  return { withoutButtons, commands, omittedCount }
}
