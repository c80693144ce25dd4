import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { World } from '../state/world.ts'

const MAX_WAIT_MS = 30_000
const HEARTBEAT_MS = 15_000

type Query = { Querystring: { user?: string; after?: string; wait?: string; deliveries?: string } }

function readNumber(text: string | undefined, fallback: number): number {
  const value = Number(text)
  return text !== undefined && Number.isInteger(value) && value >= 0 ? value : fallback
}

/**
 * Streams events to one client as they happen. Also sends regular comments to keep the connection open. Returns a function that stops
 * the stream.
 */
function streamEvents(
  { log }: Pick<World, 'log'>,
  user: string,
  after: number,
  response: ServerResponse,
): () => void {
  let lastSent = after
  const flush = () => {
    const { seq, events } = log.since(user, lastSent)
    for (const { seq: eventSeq, event } of events)
      response.write(`id: ${eventSeq}\ndata: ${JSON.stringify(event)}\n\n`)
    lastSent = seq
  }
  const heartbeat = setInterval(() => response.write(': still here\n\n'), HEARTBEAT_MS)
  const unsubscribe = log.subscribe(flush)
  flush()
  return () => {
    clearInterval(heartbeat)
    unsubscribe()
  }
}

/** Registers the routes for events: server-sent events and long polling. */
export function registerStreamRoutes(
  app: FastifyInstance,
  world: Pick<World, 'log'>,
  closing: AbortSignal,
): void {
  app.get<Query>('/_playground/stream', (request, reply) => {
    const lastEventId = request.headers['last-event-id']
    const after = readNumber(
      typeof lastEventId === 'string' ? lastEventId : request.query.after,
      world.log.seq,
    )
    reply.hijack()
    const response = reply.raw
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    response.write('retry: 1000\n\n')
    const stop = streamEvents(world, request.query.user ?? '', after, response)
    const end = () => response.end()
    closing.addEventListener('abort', end)
    response.on('close', () => {
      stop()
      closing.removeEventListener('abort', end)
    })
  })

  app.get<Query>('/_playground/events', async (request, reply) => {
    const { user = '', after, wait, deliveries } = request.query
    const disconnected = new AbortController()
    reply.raw.on('close', () => disconnected.abort())
    const signal = AbortSignal.any([disconnected.signal, closing])
    const waitMs = Math.min(MAX_WAIT_MS, readNumber(wait, 0))
    return world.log.wait(user, readNumber(after, world.log.seq), {
      waitMs,
      signal,
      skipsDeliveries: deliveries === '0',
    })
  })
}
