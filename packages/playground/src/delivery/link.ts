import { randomUUID } from 'node:crypto'
import type { WebSocket } from 'ws'
import { isFields, parseJson } from '../json.ts'
import type { Json } from '../protocol.ts'
import { traceparent } from '../trace.ts'
import { type Answer, failed } from './http.ts'

const PING_MS = 10_000
export const HOST = 'applink-playground'

export interface Enveloped {
  kind: string
  readable: Json
  retry?: { num: number; reason: string }
}

export type Link = ReturnType<typeof createLink>

function typeOf(kind: string): 'slash_commands' | 'events_api' | 'interactive' {
  if (kind === 'command') return 'slash_commands'
  return kind.startsWith('event:') ? 'events_api' : 'interactive'
}

/** The types whose acknowledgement may contain a payload. Slack ignores it in the others. */
const ANSWERED = ['command', 'view_submission', 'block_suggestion']

function envelope(id: string, { kind, readable, retry }: Enveloped): object {
  const type = typeOf(kind)
  const again = { retry_attempt: retry?.num ?? 0, retry_reason: retry?.reason ?? '' }
  return {
    envelope_id: id,
    type,
    payload: readable,
    accepts_response_payload: ANSWERED.includes(kind),
    ...(type === 'events_api' && again),
    ...traceparent(),
  }
}

function acknowledged(payload: Json | undefined): Answer {
  const isSilent = payload === undefined || payload === null
  return {
    status: 200,
    headers: isSilent ? {} : { 'content-type': 'application/json' },
    text: isSilent ? '' : JSON.stringify(payload),
    problem: 'none',
  }
}

/** One WebSocket of an app: what is sent over it, and what waits for an acknowledgement. */
export function createLink(socket: WebSocket, gone: () => void) {
  const waiting = new Map<string, (answer: Answer) => void>()
  let isLeaving = false
  const isOpen = () => socket.readyState === socket.OPEN

  function say(message: object): void {
    if (isOpen()) socket.send(JSON.stringify(message))
  }

  const pings = setInterval(() => isOpen() && socket.ping(`Ping from ${HOST}`), PING_MS)
  socket.on('message', (data) => {
    const said = parseJson(String(data))
    if (!isFields(said) || typeof said.envelope_id !== 'string') return
    waiting.get(said.envelope_id)?.(acknowledged(said.payload))
  })
  socket.on('error', () => socket.terminate())
  socket.on('close', () => {
    clearInterval(pings)
    for (const answer of [...waiting.values()])
      answer(failed('connection', 'the socket closed before the acknowledgement'))
    gone()
  })

  return {
    say,
    isOpen,
    /** Asked to disconnect: it gets nothing new if there is another one. */
    isLeaving: () => isLeaving,

    /** Announces the end of this connection, and ends it. */
    dismiss(reason: string, afterMs: number): void {
      isLeaving = true
      say({ type: 'disconnect', reason, debug_info: { host: HOST } })
      setTimeout(() => socket.close(), afterMs).unref()
    },

    /** Ends it without warning, as a network does. */
    drop: (): void => socket.terminate(),

    /** Sends one envelope and waits for its acknowledgement. Never rejects. */
    post(given: Enveloped, ackTimeoutMs: number): Promise<Answer> {
      const id = randomUUID()
      return new Promise((resolve) => {
        const done = (answer: Answer) => {
          clearTimeout(timer)
          waiting.delete(id)
          resolve(answer)
        }
        const timer = setTimeout(() => done(failed('timeout')), ackTimeoutMs)
        waiting.set(id, done)
        say(envelope(id, given))
      })
    },
  }
}
