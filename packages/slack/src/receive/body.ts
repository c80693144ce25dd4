import type { IncomingMessage } from 'node:http'
import { isRecord } from '@signalman/runtime'

/** Slack's largest bodies (a modal full of text) are well below this. Larger ones are rejected without reading all of them. */
const MAX_BYTES = 4 * 1024 * 1024
/** The maximum memory for all incoming bodies together, because anyone can send them. */
const MAX_INCOMING_BYTES = 8 * 1024 * 1024

/** A body that is still being received. */
interface IncomingBody {
  request: IncomingMessage
  chunks: Buffer[]
  size: number
}

/**
 * Reads bodies as raw bytes. Returns `undefined` for a body larger than 4 MiB. If incoming bodies exceed 8 MiB in total, the
 * oldest ones are cut off and return `undefined`, too, like a body that its sender aborts.
 */
export function createReadBody(): (request: IncomingMessage) => Promise<Buffer | undefined> {
  const incoming = new Set<IncomingBody>()
  let incomingBytes = 0

  function drop(body: IncomingBody): void {
    if (!incoming.delete(body)) return
    incomingBytes -= body.size
    for (const chunk of body.chunks.splice(0)) freeMemory(chunk)
  }

  function collectBytes(body: IncomingBody): Buffer {
    // A body in one chunk isn't copied.
    const raw = (body.chunks.length === 1 && body.chunks.pop()) || Buffer.concat(body.chunks)
    drop(body)
    return raw
  }

  function dropOldest(): void {
    for (const oldest of incoming) {
      if (incomingBytes <= MAX_INCOMING_BYTES) return
      drop(oldest)
      oldest.request.destroy()
    }
  }

  return (request) => {
    if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) return Promise.resolve(undefined)
    const { promise, resolve } = Promise.withResolvers<Buffer | undefined>()
    const body: IncomingBody = { request, chunks: [], size: 0 }
    incoming.add(body)
    // Uses listeners, because the iterator of `for await` takes as long as the signature check.
    request.on('data', (chunk: Buffer) => {
      if (!incoming.has(body)) return freeMemory(chunk)
      body.size += chunk.length
      incomingBytes += chunk.length
      body.chunks.push(chunk)
      if (body.size > MAX_BYTES) {
        drop(body)
        request.pause()
        resolve(undefined)
      } else if (incomingBytes > MAX_INCOMING_BYTES) dropOldest()
    })
    request.on('end', () => resolve(incoming.has(body) ? collectBytes(body) : undefined))
    // `close` follows, which resolves the promise.
    request.on('error', () => undefined)
    request.on('close', () => {
      drop(body)
      resolve(undefined)
    })
    return promise
  }
}

/** Frees the memory of bytes immediately. It's outside the heap, and V8 would only collect it after another 64 MiB. */
export function freeMemory({ buffer, byteLength }: Buffer): void {
  // Memory that may be shared is left to the garbage collector.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

/** An object sent by Slack. */
export type SlackBody = Record<string, unknown>

/** Parses a request body: JSON, a form, or JSON in a form's `payload`. `undefined` for anything else. */
export function parseBody(contentType: string | undefined, raw: Buffer): SlackBody | undefined {
  const text = raw.toString('utf8')
  if (contentType?.startsWith('application/json')) return parseObject(text)
  if (!contentType?.startsWith('application/x-www-form-urlencoded')) return undefined
  const form = new URLSearchParams(text)
  const payload = form.get('payload')
  return payload === null ? Object.fromEntries(form) : parseObject(payload)
}

/** A JSON object, or `undefined` for any other text. */
export function parseObject(text: string): SlackBody | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
