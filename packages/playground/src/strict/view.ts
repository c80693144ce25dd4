import { fieldsOf, isFields, parseJson } from '../json.ts'
import type { Block, Fields, Json } from '../protocol.ts'
import { kindOf, VIEW_BYTES } from '../rules/kinds.ts'
import type { Level } from '../rules/rule.ts'
import { checkBlocks } from './blocks.ts'
import { CAREFUL, checkKind, createCheck, fault, worded } from './check.ts'
import type { Refusal } from './message.ts'
import { asStored } from './stored.ts'

export type CheckedView = { view: Fields; blocks: Block[] } | Refusal

/**
 * A view as Slack would accept it, or its refusal: `invalid_arguments` with one note per problem, `view_too_large`. `allowed` is
 * the view types of the method. The view may be JSON text, as in forms.
 */
export function checkView(
  given: Json | undefined,
  allowed: readonly ('modal' | 'home')[],
  levels: readonly Level[] = CAREFUL,
): CheckedView {
  const view = typeof given === 'string' ? parseJson(given) : given
  if (!isFields(view))
    return { error: 'invalid_arguments', notes: ['must provide an object [json-pointer:/view]'] }
  const type = allowed.find((one) => one === view.type)
  const check = createCheck(type ?? 'modal', levels)
  if (view.type === undefined) fault(check, '/view', 'missing required field: type')
  else if (type === undefined) fault(check, '/view/type', `unsupported type: ${String(view.type)}`)
  else {
    checkKind(kindOf(type), view, '/view', check)
    if (view.blocks !== undefined) checkBlocks(view.blocks, '/view/blocks', check)
  }
  const { faults } = check
  if (faults.length > 0) return { error: 'invalid_arguments', notes: faults.map(worded), faults }
  if (Buffer.byteLength(JSON.stringify(view)) > VIEW_BYTES)
    return { error: 'view_too_large', notes: ['A view must be at most 250 KB of JSON.'] }
  return { view, blocks: asStored(fieldsOf(view.blocks)) }
}
