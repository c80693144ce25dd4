import { fieldsOf, isFields, listOf, stringOf } from '../json.ts'
import type { Fields, Json } from '../protocol.ts'
import {
  BLOCK_KINDS,
  MARKDOWN_CHARACTERS,
  MAX_BLOCKS,
  MAX_PER_MESSAGE,
  REFUSED_BLOCKS,
} from '../rules/kinds.ts'
import { type Check, checkKind, fault } from './check.ts'

function checkBlock(value: Json, at: string, check: Check): undefined {
  if (!isFields(value)) return fault(check, at, 'must provide an object')
  if (value.type === undefined) return fault(check, at, 'missing required field: type')
  const type = String(value.type)
  const kind = BLOCK_KINDS.get(type)
  if (kind?.surfaces?.includes(check.surface)) return checkKind(kind, value, at, check)
  const why = Object.hasOwn(REFUSED_BLOCKS, type) ? REFUSED_BLOCKS[type] : undefined
  fault(check, `${at}/type`, `unsupported type: ${type}${why ? ` (${why})` : ''}`)
}

/** Where `focus_on_load` is set, block by block. */
function focused(value: Json, at: string): string[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => focused(each, `${at}/${index}`))
  if (!isFields(value)) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'focus_on_load' ? (inner === true ? [`${at}/${name}`] : []) : focused(inner, `${at}/${name}`),
  )
}

function checkIds(blocks: readonly Json[], at: string, check: Check): undefined {
  const seen = new Map<string, number>()
  for (const [index, block] of blocks.entries()) {
    const id = isFields(block) ? stringOf(block.block_id) : undefined
    if (id === undefined) continue
    const before = seen.get(id)
    if (before !== undefined)
      fault(
        check,
        `${at}/${index}/block_id`,
        `\`block_id\` "${id}" already exists for the block at ${at}/${before}`,
      )
    seen.set(id, index)
  }
}

function checkCounts(blocks: readonly Fields[], at: string, check: Check): undefined {
  const count = new Map<string, number>()
  for (const [index, { type }] of blocks.entries()) {
    const name = String(type)
    const many = (count.get(name) ?? 0) + 1
    count.set(name, many)
    const most = Object.hasOwn(MAX_PER_MESSAGE, name) ? MAX_PER_MESSAGE[name] : undefined
    if (most !== undefined && many > most)
      fault(check, `${at}/${index}`, `no more than ${most} ${name} block${most === 1 ? '' : 's'} allowed`)
  }
}

/** The length of standard Markdown is limited over all blocks together. */
function checkMarkdown(blocks: readonly Fields[], at: string, check: Check): undefined {
  const lengths = blocks.map(({ type, text }) =>
    type === 'markdown' && typeof text === 'string' ? [...text].length : 0,
  )
  const alone = lengths.some((length) => length > MARKDOWN_CHARACTERS)
  if (!alone && lengths.reduce((sum, length) => sum + length, 0) > MARKDOWN_CHARACTERS)
    fault(check, at, `all markdown blocks together must be less than ${MARKDOWN_CHARACTERS + 1} characters`)
}

/** A list of blocks: how many, each by its rule, no duplicate block_id, one focus, and no more of a kind than Slack accepts. */
export function checkBlocks(value: Json, at: string, check: Check): undefined {
  if (!Array.isArray(value)) return fault(check, at, 'must provide an array')
  const most = MAX_BLOCKS[check.surface]
  if (value.length > most) fault(check, at, `no more than ${most} items allowed`)
  for (const [index, block] of value.entries()) checkBlock(block, `${at}/${index}`, check)
  for (const again of focused(value, at).slice(1))
    fault(check, again, 'only one element can have `focus_on_load` set to true')
  checkIds(value, at, check)
  const blocks = listOf(value).map((one) => (isFields(one) ? one : {}))
  checkCounts(blocks, at, check)
  checkMarkdown(blocks, at, check)
}

const TABLES = ['table', 'data_table']

/** Whether there is a second table of any kind, including in containers and attachments: Slack accepts one per message. */
export function hasTwoTables(...lists: readonly (Json | undefined)[]): boolean {
  const tables = (blocks: readonly Fields[]): number =>
    blocks.reduce(
      (sum, one) => sum + (TABLES.includes(String(one.type)) ? 1 : 0) + tables(fieldsOf(one.child_blocks)),
      0,
    )
  return lists.reduce<number>((sum, blocks) => sum + tables(fieldsOf(blocks)), 0) > 1
}
