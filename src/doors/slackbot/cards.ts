import { type Command, context, LIMITS, listCommands, type Message } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { counted } from '../../domain/wording.ts'
import { RUN } from './tools.ts'

/**
 * The blocks that Slackbot draws. One block of another kind, and it draws none (Slack's release notes of 2026-09; not in its
 * reference).
 */
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
/** A menu's options become buttons, each in its own row. */
const MOST_OF_A_MENU = 5

/** The blocks of an answer as Slackbot draws them: each button calls the tool that runs its line, alone in its row. */
export async function slackbotBlocks(
  { blocks }: Pick<Message, 'blocks'>,
  /** The button's arguments for the tool; undefined for a button that is left out. */
  argumentsOf: (value: string) => Promise<object | undefined>,
): Promise<object[]> {
  // Lines for buttons are stored in parallel: one after the other, each would wait for the disk.
  const all = await Promise.all(
    blocks.map(async (block) => {
      const { plain, choices, cut } = taken(block)
      const rows = await Promise.all(choices.map((one) => buttonRow(one, argumentsOf)))
      return { said: plain ? [plain] : [], rows: rows.flat(), cut }
    }),
  )
  const count = (of: (one: (typeof all)[number]) => number) => all.reduce((sum, one) => sum + of(one), 0)
  // Text comes before buttons: a row for each button must not push the end of an answer out.
  const space = MOST_BLOCKS - count(({ said }) => said.length)
  const choices = count(({ rows }) => rows.length)
  const cut = count((one) => one.cut)
  let room = cut === 0 && choices <= space ? space : Math.max(0, space - 1)
  const left = cut + Math.max(0, choices - room)
  const drawn = all.flatMap(({ said, rows }) => {
    const shown = rows.slice(0, room)
    room -= shown.length
    return [...said, ...shown]
  })
  return [...drawn, ...(left > 0 ? [context(leftOut(left))] : [])].slice(0, MOST_BLOCKS)
}

const leftOut = (count: number): string =>
  `${counted(count, 'more choice')} ${count === 1 ? 'has' : 'have'} no button here. Type the command in Slack to see all.`

async function buttonRow(
  { label, line, style }: Command,
  argumentsOf: (value: string) => Promise<object | undefined>,
): Promise<object[]> {
  const given = JSON.stringify(await argumentsOf(line))
  if (given === undefined || given.length > LIMITS.buttonValue) return []
  const text = { type: 'plain_text', text: label }
  const element = { type: 'button', action_id: `tool:${RUN}`, text, value: given, ...(style && { style }) }
  return [{ type: 'actions', elements: [element] }]
}

/** A block without its buttons and menus, those, and how many of them are left out. */
function taken(block: KnownBlock): { plain?: object; choices: Command[]; cut: number } {
  const menus = listCommands([block])
  const choices = menus.flatMap((one) => one.slice(0, MOST_OF_A_MENU))
  const some = { choices, cut: menus.flat().length - choices.length }
  if (block.type === 'actions' || !DRAWN.has(block.type)) return some
  if (block.type !== 'section' || !block.accessory) return { plain: block, ...some }
  const { accessory: _, ...plain } = block
  return { plain, ...some }
}
