import { type Command, context, LIMITS, listCommands, type Message } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { pluralize } from '../../domain/wording.ts'
import { RUN } from './tools.ts'

/**
 * The kinds of blocks that Slackbot draws. If there is one of any other kind, it draws none (Slack's release notes of 2026-09;
 * not in its reference).
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
export async function slackbotBlocks(
  { blocks }: Pick<Message, 'blocks'>,
  /** The button's arguments for the tool; undefined for a button that is left out. */
  argumentsOf: (value: string) => Promise<object | undefined>,
): Promise<object[]> {
  // In parallel, because storing the line of a button waits for the disk.
  const all = await Promise.all(
    blocks.map(async (block) => {
      const { plain, choices, cut } = separateBlock(block)
      const rows = await Promise.all(choices.map((one) => buttonRow(one, argumentsOf)))
      return { said: plain ? [plain] : [], rows: rows.flat(), cut }
    }),
  )
  const sumBy = (getCount: (one: (typeof all)[number]) => number) =>
    all.reduce((sum, one) => sum + getCount(one), 0)
  // Text has precedence: the rows of buttons must not push out the end of an answer.
  const space = MAX_BLOCKS - sumBy(({ said }) => said.length)
  const choices = sumBy(({ rows }) => rows.length)
  const cut = sumBy((one) => one.cut)
  let room = cut === 0 && choices <= space ? space : Math.max(0, space - 1)
  const leftOutCount = cut + Math.max(0, choices - room)
  const fittingBlocks = all.flatMap(({ said, rows }) => {
    const shown = rows.slice(0, room)
    room -= shown.length
    return [...said, ...shown]
  })
  return [...fittingBlocks, ...(leftOutCount > 0 ? [context(leftOutNote(leftOutCount))] : [])].slice(
    0,
    MAX_BLOCKS,
  )
}

const leftOutNote = (count: number): string =>
  `${pluralize(count, 'more choice')} ${count === 1 ? 'has' : 'have'} no button here. Type the command in Slack to see all.`

async function buttonRow(
  { label, line, style }: Command,
  argumentsOf: (value: string) => Promise<object | undefined>,
): Promise<object[]> {
  const argumentsJson = JSON.stringify(await argumentsOf(line))
  if (argumentsJson === undefined || argumentsJson.length > LIMITS.buttonValue) return []
  const text = { type: 'plain_text', text: label }
  const element = {
    type: 'button',
    action_id: `tool:${RUN}`,
    text,
    value: argumentsJson,
    ...(style && { style }),
  }
  return [{ type: 'actions', elements: [element] }]
}

/** Separates a block from its buttons and menus. `cut` counts the menu options that are left out. */
function separateBlock(block: KnownBlock): { plain?: object; choices: Command[]; cut: number } {
  const menus = listCommands([block])
  const choices = menus.flatMap((one) => one.slice(0, MAX_MENU_OPTIONS))
  const choicesAndCut = { choices, cut: menus.flat().length - choices.length }
  if (block.type === 'actions' || !SUPPORTED_BLOCKS.has(block.type)) return choicesAndCut
  if (block.type !== 'section' || !block.accessory) return { plain: block, ...choicesAndCut }
  const { accessory: _, ...plain } = block
  return { plain, ...choicesAndCut }
}
