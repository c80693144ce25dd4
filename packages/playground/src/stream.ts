import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Slack } from './slack.ts'

const MAX_WAIT_MS = 30_000
const HEARTBEAT_MS = 15_000

type Query = { Querystring: { user?: string; after?: string; wait?: string; deliveries?: string } }

function readNumber(text: string | undefined, otherwise: number): number {
  const value = Number(text)
  return text !== undefined && Number.isInteger(value) && value >= 0 ? value : otherwise
}

/** Writes events to one reader as they happen, and regular comments to keep the connection open. */
function follow({ log }: Slack, user: string, after: number, out: ServerResponse): () => void {
  let sent = after
  const flush = () => {
    const { seq, events } = log.since(user, sent)
    for (const { seq: at, event } of events) out.write(`id: ${at}\ndata: ${JSON.stringify(event)}\n\n`)
    sent = seq
  }
  const heartbeat = setInterval(() => out.write(': still here\n\n'), HEARTBEAT_MS)
  const unsubscribe = log.subscribe(flush)
  flush()
  return () => {
    clearInterval(heartbeat)
    unsubscribe()
  }
}

/** The two ways to follow events: server-sent events and long polling. */
export function stream(app: FastifyInstance, slack: Slack): void {
  app.get<Query>('/_playground/stream', (request, reply) => {
    const last = request.headers['last-event-id']
    const after = readNumber(typeof last === 'string' ? last : request.query.after, slack.log.seq)
    reply.hijack()
    const out = reply.raw
    out.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    out.write('retry: 1000\n\n')
    const stop = follow(slack, request.query.user ?? '', after, out)
    const end = () => out.end()
    slack.closing.addEventListener('abort', end)
    out.on('close', () => {
      stop()
      slack.closing.removeEventListener('abort', end)
    })
  })

  app.get<Query>('/_playground/events', async (request, reply) => {
    const { user = '', after, wait, deliveries } = request.query
    const disconnected = new AbortController()
    reply.raw.on('close', () => disconnected.abort())
    const signal = AbortSignal.any([disconnected.signal, slack.closing])
    const waitMs = Math.min(MAX_WAIT_MS, readNumber(wait, 0))
    return slack.log.wait(user, readNumber(after, slack.log.seq), {
      waitMs,
      signal,
      skipsDeliveries: deliveries === '0',
    })
  })
}
