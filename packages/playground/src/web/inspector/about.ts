import { isFields, objectsIn } from '../../json.ts'
import type { Delivery, Fields, Json } from '../../protocol.ts'

const fields = (value: Json | undefined): Fields => (isFields(value) ? value : {})

function words(...values: (Json | undefined)[]): string {
  return values.filter((value) => typeof value === 'string' && value !== '').join(' ')
}

/** What a delivery is about, in a few words: the command typed, the button pressed, the form submitted, the channel posted to. */
export function about({ kind, direction, request }: Delivery): string {
  const body = fields(request.body)
  if (kind === 'command') return words(body.command, body.text)
  if (kind === 'block_actions') return words(objectsIn(body.actions)[0]?.action_id)
  if (kind === 'block_suggestion') return words(body.action_id, body.value)
  if (kind.startsWith('view_')) return words(fields(body.view).callback_id)
  if (direction === 'from-app') return words(body.channel, body.user_id)
  return words(body.callback_id)
}
