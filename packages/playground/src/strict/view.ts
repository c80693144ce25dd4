import { fieldsOf, isFields, parseJson } from '../json.ts'
import type { Block, Fields, Json } from '../protocol.ts'
import { blocks } from './blocks.ts'
import { withIds } from './message.ts'
import { plainText } from './objects.ts'
import { among, byType, createCheck, fault, flag, object, type Rule, type Shape, text } from './rules.ts'

const VIEW_LIMIT_BYTES = 250_000

export type CheckedView = { view: Fields; blocks: Block[] } | { error: string; notes: string[] }

const common: Shape = {
  'blocks!': blocks,
  private_metadata: text(3000, 0),
  callback_id: text(255, 0),
  external_id: text(255, 0),
}

/** Views: https://docs.slack.dev/reference/views (November 2026). */
const VIEWS: Record<'modal' | 'home', Rule> = {
  modal: object({
    ...common,
    'type!': among('modal'),
    'title!': plainText(24),
    submit: plainText(24),
    close: plainText(24),
    clear_on_close: flag,
    notify_on_close: flag,
    submit_disabled: flag,
  }),
  home: object({ ...common, 'type!': among('home') }),
}

const inputsNeedSubmit: Rule = (value, at, check) => {
  if (!isFields(value) || value.type !== 'modal' || value.submit !== undefined) return
  const index = fieldsOf(value.blocks).findIndex(({ type }) => type === 'input')
  if (index >= 0)
    fault(check, `${at}/blocks/${index}/input`, 'must define `submit` to use an `input` block in modals')
}

/**
 * A view as Slack would take it, or its refusal: `invalid_arguments` with a note per fault, `view_too_large`.
 * `allowed` names the view types of the method. The view may come as JSON text, as forms carry it.
 */
export function checkView(given: Json | undefined, allowed: readonly ('modal' | 'home')[]): CheckedView {
  const view = typeof given === 'string' ? parseJson(given) : given
  if (!isFields(view))
    return { error: 'invalid_arguments', notes: ['must provide an object [json-pointer:/view]'] }
  const type = view.type === 'home' ? 'home' : 'modal'
  const check = createCheck(type)
  const kinds = Object.fromEntries(allowed.map((name) => [name, VIEWS[name]]))
  byType(kinds)(view, '/view', check)
  if (check.faults.length === 0) inputsNeedSubmit(view, '/view', check)
  if (check.faults.length > 0) return { error: 'invalid_arguments', notes: check.faults }
  if (Buffer.byteLength(JSON.stringify(view)) > VIEW_LIMIT_BYTES)
    return { error: 'view_too_large', notes: ['A view must be at most 250 KB of JSON.'] }
  return { view, blocks: withIds(fieldsOf(view.blocks)) }
}
