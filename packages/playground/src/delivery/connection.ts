import { randomUUID } from 'node:crypto'
import type { WebSocket } from 'ws'
import type { Json } from '../protocol/json.ts'
import { isFields, parseJson } from '../protocol/json.ts'
import { traceparent } from '../protocol/trace.ts'
import { failedResponse, type HttpResponse } from './http.ts'

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

/** The kinds of requests for which Slack reads a payload in the acknowledgement. */
const KINDS_WITH_PAYLOAD = ['command', 'view_submission', 'block_suggestion']

function buildEnvelope(id: string, { kind, payload, retry }: EnvelopeContent): object {
  const type = envelopeType(kind)
  const retryFields = { retry_attempt: retry?.num ?? 0, retry_reason: retry?.reason ?? '' }
  return {
    envelope_id: id,
    type,
    payload,
    accepts_response_payload: KINDS_WITH_PAYLOAD.includes(kind),
    ...(type === 'events_api' && retryFields),
    ...traceparent(),
  }
}

function toHttpResponse(payload: Json | undefined): HttpResponse {
  const isEmpty = payload === undefined || payload === null
  return {
    status: 200,
    headers: isEmpty ? {} : { 'content-type': 'application/json' },
    text: isEmpty ? '' : JSON.stringify(payload),
    problem: 'none',
  }
}

/** One of the app's WebSockets in Socket Mode. Sends envelopes, and waits for their acknowledgements. */
export function createConnection(socket: WebSocket, onClose: () => void) {
  const pending = new Map<string, (response: HttpResponse) => void>()
  let isClosing = false
  const isOpen = () => socket.readyState === socket.OPEN

  function send(message: object): void {
    if (isOpen()) socket.send(JSON.stringify(message))
  }

  const pingTimer = setInterval(() => isOpen() && socket.ping(`Ping from ${HOST}`), PING_INTERVAL_MS)
  socket.on('message', (data) => {
    const message = parseJson(String(data))
    if (!isFields(message) || typeof message.envelope_id !== 'string') return
    pending.get(message.envelope_id)?.(toHttpResponse(message.payload))
  })
  socket.on('error', () => socket.terminate())
  socket.on('close', () => {
    clearInterval(pingTimer)
    for (const finish of [...pending.values()])
      finish(failedResponse('connection', 'the socket closed before the acknowledgement'))
    onClose()
  })

  return {
    send,
    isOpen,
    /** True after `disconnect`. If there is another socket, new envelopes go there. */
    isClosing: () => isClosing,

    /** Sends a `disconnect` message, and closes the socket after `afterMs`. */
    disconnect(reason: string, afterMs: number): void {
      isClosing = true
      send({ type: 'disconnect', reason, debug_info: { host: HOST } })
      setTimeout(() => socket.close(), afterMs).unref()
    },

    /** Cuts the connection without warning, like a network failure. */
    drop: (): void => socket.terminate(),

    /** Sends an envelope and waits for its acknowledgement. Never throws: failures are in the response's `problem`. */
    post(content: EnvelopeContent, ackTimeoutMs: number): Promise<HttpResponse> {
      const id = randomUUID()
      return new Promise((resolve) => {
        const finish = (response: HttpResponse) => {
          clearTimeout(timer)
          pending.delete(id)
          resolve(response)
        }
        const timer = setTimeout(() => finish(failedResponse('timeout')), ackTimeoutMs)
        pending.set(id, finish)
        send(buildEnvelope(id, content))
      })
    },
  }
}
