import { parseObject, type SlackBody } from '../body.ts'

/** A message of Slack over a WebSocket (https://docs.slack.dev/apis/events-api/using-socket-mode, November 2026). */
export type SocketMessage =
  | { kind: 'hello'; connections: number }
  | { kind: 'disconnect'; reason: string }
  | { kind: 'request'; envelope: Envelope }

/** A request from Slack, as it would come by HTTP, and how it is acknowledged. */
export interface Envelope {
  id: string
  body: SlackBody
  retry: number
  /** True when the acknowledgement may have content: errors of a form, options of a menu. */
  takesAnswer: boolean
}

const REQUESTS: readonly unknown[] = ['slash_commands', 'interactive', 'events_api']

/** Undefined for any other message: newer kinds are ignored. */
export function readSocketMessage(text: string): SocketMessage | undefined {
  const said = parseObject(text)
  if (!said) return undefined
  if (said.type === 'hello') return { kind: 'hello', connections: Number(said.num_connections) || 1 }
  if (said.type === 'disconnect') return { kind: 'disconnect', reason: String(said.reason ?? 'unknown') }
  const { envelope_id: id, payload } = said
  if (!REQUESTS.includes(said.type) || typeof id !== 'string' || !isBody(payload)) return undefined
  const envelope = {
    id,
    body: payload,
    retry: Number(said.retry_attempt) || 0,
    takesAnswer: said.accepts_response_payload === true,
  }
  return { kind: 'request', envelope }
}

const isBody = (value: unknown): value is SlackBody =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The acknowledgement of a request, with what the listener said where Slack takes that. */
export function acknowledgementOf({ id, takesAnswer }: Envelope, said: unknown): string {
  const payload = typeof said === 'string' ? { text: said } : said
  const isSaid = takesAnswer && said !== '' && said !== undefined
  return JSON.stringify({ envelope_id: id, ...(isSaid && { payload }) })
}
