import type { Fields, Json } from '../../protocol/json.ts'
import { isFields, objectsIn } from '../../protocol/json.ts'
import type { Delivery } from '../../protocol/protocol.ts'

const asFields = (value: Json | undefined): Fields => (isFields(value) ? value : {})

function joinTexts(...values: (Json | undefined)[]): string {
  return values.filter((value) => typeof value === 'string' && value !== '').join(' ')
}

/** Describes a delivery briefly, such as by its command with arguments, action_id, callback_id, or channel. */
export function summarize({ kind, direction, request }: Delivery): string {
  const body = asFields(request.body)
  if (kind === 'command') return joinTexts(body.command, body.text)
  if (kind === 'block_actions') return joinTexts(objectsIn(body.actions)[0]?.action_id)
  if (kind === 'block_suggestion') return joinTexts(body.action_id, body.value)
  if (kind.startsWith('view_')) return joinTexts(asFields(body.view).callback_id)
  if (direction === 'from-app') return joinTexts(body.channel, body.user_id)
  return joinTexts(body.callback_id)
}
