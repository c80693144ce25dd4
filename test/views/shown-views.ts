import type { SentCall } from '../bot/access/slack-stub.ts'

export interface ShownView {
  /** What the user did: a typed line, a pressed button, or opening Home. */
  readonly cause: string
  readonly kind: 'message' | 'view'
  /** The conversation that the app posted it to. Undefined for a response to a request, in which mentions notify nobody. */
  readonly postedTo?: string
  readonly payload: Fields
}

export type Fields = Readonly<Record<string, unknown>>

/** Reads what a call of the app shows in Slack: one view, or none. */
export function readShown({ method, body }: SentCall, cause: string): ShownView[] {
  if (method.startsWith('views.')) return [{ cause, kind: 'view', payload: asFields(body.view) }]
  const isPost = method.startsWith('chat.')
  const blocks = typeof body.blocks === 'string' ? JSON.parse(body.blocks) : body.blocks
  if (!Array.isArray(blocks) || !(isPost || method === 'response_url')) return []
  const payload = { text: body.text, blocks }
  const isForAll = isPost && method !== 'chat.postEphemeral'
  return [{ cause, kind: 'message', payload, ...(isForAll && { postedTo: String(body.channel) }) }]
}

/** Parses an object that was sent as JSON, in a form field or as the body. Anything else becomes an empty object. */
export function asFields(value: unknown): Fields {
  if (typeof value === 'string') {
    try {
      return asFields(JSON.parse(value))
    } catch {
      return {}
    }
  }
  // Callers read only its own properties.
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

/** The views that differ in more than numbers and IDs. */
export function removeDuplicates(shown: readonly ShownView[]): ShownView[] {
  const seen = new Set<string>()
  return shown.filter(({ kind, payload }) => {
    const form = kind + JSON.stringify(payload).replaceAll(/[\w-]{22,}|\d+/g, '')
    return !seen.has(form) && seen.add(form)
  })
}
