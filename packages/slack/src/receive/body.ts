import type { IncomingMessage } from 'node:http'

/** Slack's largest bodies (a modal full of text) are well under this; more is refused before it is read. */
const MAX_BYTES = 4 * 1024 * 1024
/** Bodies that are still on their way, which may be anybody's, together take at most this much memory. */
const MAX_COMING_BYTES = 8 * 1024 * 1024

/** A body that is still on its way. */
interface Coming {
  request: IncomingMessage
  chunks: Buffer[]
  size: number
}

/**
 * Reads bodies as raw bytes; `undefined` when there are more than 4 MiB. When those on their way are more than 8 MiB together, the
 * oldest are cut off, and `undefined` too; so is one that its sender, who may be anybody, cuts short.
 */
export function createBodies(): (request: IncomingMessage) => Promise<Buffer | undefined> {
  const coming = new Set<Coming>()
  let comingBytes = 0

  function drop(body: Coming): void {
    if (!coming.delete(body)) return
    comingBytes -= body.size
    for (const chunk of body.chunks.splice(0)) giveBack(chunk)
  }

  function whole(body: Coming): Buffer {
    // A body in one piece is not copied.
    const raw = (body.chunks.length === 1 && body.chunks.pop()) || Buffer.concat(body.chunks)
    drop(body)
    return raw
  }

  function makeRoom(): void {
    for (const oldest of coming) {
      if (comingBytes <= MAX_COMING_BYTES) return
      drop(oldest)
      oldest.request.destroy()
    }
  }

  return (request) => {
    if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) return Promise.resolve(undefined)
    const { promise, resolve } = Promise.withResolvers<Buffer | undefined>()
    const body: Coming = { request, chunks: [], size: 0 }
    coming.add(body)
    // Listeners instead of `for await`, whose iterator takes as long as the check of the signature.
    request.on('data', (chunk: Buffer) => {
      if (!coming.has(body)) return giveBack(chunk)
      body.size += chunk.length
      comingBytes += chunk.length
      body.chunks.push(chunk)
      if (body.size > MAX_BYTES) {
        drop(body)
        request.pause()
        resolve(undefined)
      } else if (comingBytes > MAX_COMING_BYTES) makeRoom()
    })
    request.on('end', () => resolve(coming.has(body) ? whole(body) : undefined))
    // Nobody is left to be told, and `close` follows.
    request.on('error', () => undefined)
    request.on('close', () => {
      drop(body)
      resolve(undefined)
    })
    return promise
  }
}

/**
 * Gives the memory of bytes back at once. They are outside of the heap, so that the next collection may be long in coming: V8
 * begins one when there are 64 MiB more of them than after the last.
 */
export function giveBack({ buffer, byteLength }: Buffer): void {
  // Memory that others may read too is left to the garbage collector.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

/** An object that Slack sent. */
export type SlackBody = Record<string, unknown>

/** What Slack sent, as an object: JSON, a form, or JSON in a form's `payload`. `undefined` when it is none of these. */
export function parseBody(contentType: string | undefined, raw: Buffer): SlackBody | undefined {
  const text = raw.toString('utf8')
  if (contentType?.startsWith('application/json')) return parseObject(text)
  if (!contentType?.startsWith('application/x-www-form-urlencoded')) return undefined
  const form = new URLSearchParams(text)
  const payload = form.get('payload')
  return payload === null ? Object.fromEntries(form) : parseObject(payload)
}

export const isObject = (value: unknown): value is SlackBody =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A JSON object, or `undefined` for any other text. */
export function parseObject(text: string): SlackBody | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
