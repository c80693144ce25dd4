import { randomUUID } from 'node:crypto'
import type { WebSocket } from 'ws'
import { isFields, parseJson } from '../json.ts'
import type { Json } from '../protocol.ts'
import { traceparent } from '../trace.ts'
import { type Answer, failedAnswer } from './http.ts'

const PING_INTERVAL_MS = 10_000
export const HOST = 'applink-playground'

export interface EnvelopeContent {
  kind: string
  payload: Json
  retry?: { num: number; reason: string }
}

export type Connection = ReturnType<typeof createConnection>

function envelopeType(kind: string): 'slash_commands' | 'events_api' | 'interactive' {
  if (kind === 'command') return 'slash_commands'
  return kind.startsWith('event:') ? 'events_api' : 'interactive'
}

/** The kinds of request whose acknowledgement may contain a payload. Slack ignores it for all other kinds. */
const KINDS_WITH_PAYLOAD = ['command', 'view_submission', 'block_suggestion']

function envelope(id: string, { kind, payload, retry }: EnvelopeContent): object {
  const type = envelopeType(kind)
  const retryFields = { retry_attempt: retry?.num ?? 0, retry_reason: retry?.reason ?? '' }
  return {
    envelope_id: id,
    type,
    payload: payload,
    accepts_response_payload: KINDS_WITH_PAYLOAD.includes(kind),
    ...(type === 'events_api' && retryFields),
    ...traceparent(),
  }
}

function toAnswer(payload: Json | undefined): Answer {
  const isEmpty = payload === undefined || payload === null
  return {
    status: 200,
    headers: isEmpty ? {} : { 'content-type': 'application/json' },
    text: isEmpty ? '' : JSON.stringify(payload),
    problem: 'none',
  }
}

/** One WebSocket of the app, and the envelopes on it that wait for an acknowledgement. */
export function createConnection(socket: WebSocket, onClose: () => void) {
  const pending = new Map<string, (answer: Answer) => void>()
  let isClosing = false
  const isOpen = () => socket.readyState === socket.OPEN

  function send(message: object): void {
    if (isOpen()) socket.send(JSON.stringify(message))
  }

  const pingTimer = setInterval(() => isOpen() && socket.ping(`Ping from ${HOST}`), PING_INTERVAL_MS)
  socket.on('message', (data) => {
    const message = parseJson(String(data))
    if (!isFields(message) || typeof message.envelope_id !== 'string') return
    pending.get(message.envelope_id)?.(toAnswer(message.payload))
  })
  socket.on('error', () => socket.terminate())
  socket.on('close', () => {
    clearInterval(pingTimer)
    for (const answer of [...pending.values()])
      answer(failedAnswer('connection', 'the socket closed before the acknowledgement'))
    onClose()
  })

  return {
    send: send,
    isOpen,
    /** True after the app was told to disconnect. New envelopes then go to another socket, if there is one. */
    isClosing: () => isClosing,

    /** Announces that this connection will close, and closes it. */
    disconnect(reason: string, afterMs: number): void {
      isClosing = true
      send({ type: 'disconnect', reason, debug_info: { host: HOST } })
      setTimeout(() => socket.close(), afterMs).unref()
    },

    /** Cuts the connection without warning, like a network failure. */
    drop: (): void => socket.terminate(),

    /** Sends one envelope and waits for its acknowledgement. Never rejects. */
    post(content: EnvelopeContent, ackTimeoutMs: number): Promise<Answer> {
      const id = randomUUID()
      return new Promise((resolve) => {
        const finish = (answer: Answer) => {
          clearTimeout(timer)
          pending.delete(id)
          resolve(answer)
        }
        const timer = setTimeout(() => finish(failedAnswer('timeout')), ackTimeoutMs)
        pending.set(id, finish)
        send(envelope(id, content))
      })
    },
  }
}
