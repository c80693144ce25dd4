import type { Fields, Json } from '../protocol/json.ts'
import { isFields, objectsIn, parseJson } from '../protocol/json.ts'
import type { Block } from '../protocol/protocol.ts'
import { getKind } from '../rules/kinds.ts'
import { MAX_VIEW_BYTES } from '../rules/limits.ts'
import { checkBlocks } from './blocks.ts'
import { addError, checkKind, createCheck, formatError } from './check.ts'
import type { Rejection } from './message.ts'
import { toStoredBlocks } from './stored.ts'

export type CheckedView = { view: Fields; blocks: Block[] } | Rejection

/**
 * Validates a view as Slack does. Returns the view and its blocks as Slack would store them, or Slack's error code with a note
 * for each problem. `allowed` lists the view types that the method accepts. In a form-encoded call, the view is JSON text.
 */
export function checkView(viewOrText: Json | undefined, allowed: readonly ('modal' | 'home')[]): CheckedView {
  const view = typeof viewOrText === 'string' ? parseJson(viewOrText) : viewOrText
  if (!isFields(view))
    return { error: 'invalid_arguments', notes: ['must provide an object [json-pointer:/view]'] }
  const type = allowed.find((candidate) => candidate === view.type)
  const check = createCheck(type ?? 'modal')
  if (view.type === undefined) addError(check, '/view', 'missing required field: type')
  else if (type === undefined) addError(check, '/view/type', `unsupported type: ${String(view.type)}`)
  else {
    checkKind(getKind(type), view, '/view', check)
    if (view.blocks !== undefined) checkBlocks(view.blocks, '/view/blocks', check)
  }
  const { errors } = check
  if (errors.length > 0) return { error: 'invalid_arguments', notes: errors.map(formatError) }
  if (Buffer.byteLength(JSON.stringify(view)) > MAX_VIEW_BYTES)
    return { error: 'view_too_large', notes: ['A view must be at most 250 KB of JSON.'] }
  return { view, blocks: toStoredBlocks(objectsIn(view.blocks)) }
}
