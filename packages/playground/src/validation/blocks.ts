import type { Json } from '../protocol/json.ts'
import { asString, isFields } from '../protocol/json.ts'
import { BLOCK_KINDS } from '../rules/kinds.ts'
import { MAX_BLOCKS } from '../rules/limits.ts'
import { addError, type Check, checkKind, refuseUnknown } from './check.ts'

function checkBlock(value: Json, pointer: string, check: Check): undefined {
  if (!isFields(value)) return addError(check, pointer, 'must provide an object')
  if (value.type === undefined) return addError(check, pointer, 'missing required field: type')
  const type = String(value.type)
  const kind = BLOCK_KINDS.get(type)
  if (kind) return checkKind(kind, value, pointer, check)
  refuseUnknown(check, `${pointer}/type`, `unsupported type: ${type}`)
}

function checkIds(blocks: readonly Json[], pointer: string, check: Check): undefined {
  const seen = new Map<string, number>()
  for (const [index, block] of blocks.entries()) {
    const id = isFields(block) ? asString(block.block_id) : undefined
    if (id === undefined) continue
    const firstIndex = seen.get(id)
    if (firstIndex !== undefined)
      addError(
        check,
        `${pointer}/${index}/block_id`,
        `\`block_id\` "${id}" already exists for the block at ${pointer}/${firstIndex}`,
      )
    seen.set(id, index)
  }
}

/** Validates a list of blocks: each block, the number of blocks, and unique block_ids. */
export function checkBlocks(value: Json, pointer: string, check: Check): undefined {
  if (!Array.isArray(value)) return addError(check, pointer, 'must provide an array')
  const max = MAX_BLOCKS[check.surface]
  if (value.length > max) addError(check, pointer, `no more than ${max} items allowed`)
  for (const [index, block] of value.entries()) checkBlock(block, `${pointer}/${index}`, check)
  checkIds(value, pointer, check)
}
