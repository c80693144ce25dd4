import type { IncomingMessage } from 'node:http'
import { parse } from 'node:querystring'
import { freeMemory, isRecord, parseJson } from '@signalman/runtime'

/** Slack's largest bodies (a modal full of text) are well below this. Larger ones are rejected without reading all of them. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024
/** The maximum memory for all incoming bodies together, because anyone can send them. */
const MAX_INCOMING_BYTES = 8 * 1024 * 1024

/**
 * Reads bodies as raw bytes. Returns `undefined` for a body larger than 4 MiB. If incoming bodies exceed 8 MiB in total, the
 * oldest ones are cut off and return `undefined`, too, like a body that its sender aborts.
 */
export function createReadBody(): (request: IncomingMessage) => Promise<Buffer | undefined> {
  /** The number of bytes that have arrived so far, oldest request first. */
  const incoming = new Map<IncomingMessage, number>()
  let incomingBytes = 0

  function dropOldest(): void {
    let total = incomingBytes
    for (const [oldest, bytes] of incoming) {
      if (total <= MAX_INCOMING_BYTES) return
      total -= bytes
      oldest.destroy()
    }
  }

  return async (request) => {
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return undefined
    const chunks: Buffer[] = []
    let bytes = 0
    try {
      // The connection stays open, so that a body that is too large gets an answer.
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        bytes += chunk.length
        incomingBytes += chunk.length
        if (bytes > MAX_BODY_BYTES) return undefined
        chunks.push(chunk)
        incoming.set(request, bytes)
        dropOldest()
      }
      return Buffer.concat(chunks)
    } catch {
      return undefined
    } finally {
      incoming.delete(request)
      incomingBytes -= bytes
      for (const chunk of chunks) freeMemory(chunk)
    }
  }
}

/** An object sent by Slack. */
export type SlackBody = Record<string, unknown>

/** Parses a request body: JSON, a form, or JSON in a form's `payload`. `undefined` for anything else. */
export function parseBody(contentType: string | undefined, text: string): SlackBody | undefined {
  if (contentType?.startsWith('application/json')) return parseObject(text)
  if (!contentType?.startsWith('application/x-www-form-urlencoded')) return undefined
  // For fields without a value, URLSearchParams takes the square of the time: a second for a megabyte.
  const form = parse(text)
  const { payload } = form
  return typeof payload === 'string' ? parseObject(payload) : form
}

/** A JSON object, or `undefined` for any other text. */
export function parseObject(text: string): SlackBody | undefined {
  try {
    const value = parseJson(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
