import type { IncomingMessage } from 'node:http'

/** Slack's largest bodies (a modal full of text) are well under this; more is refused before it is held. */
const MAX_BYTES = 4 * 1024 * 1024

/** The raw bytes of a request, or `undefined` when there are more than 4 MiB of them. Throws when it is cut short. */
export function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) return Promise.resolve(undefined)
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>()
  const chunks: Buffer[] = []
  let size = 0
  // Listeners and no `for await`, whose iterator costs as much as the signature's check.
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= MAX_BYTES) chunks.push(chunk)
    else {
      request.pause()
      resolve(undefined)
    }
  })
  request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
  request.on('error', reject)
  return promise
}

export type SlackBody = Record<string, unknown>

/** What Slack sent, as an object: JSON, a form, or JSON in a form's `payload`. `undefined` when it is none of these. */
export function parseBody(contentType: string | undefined, raw: Buffer): SlackBody | undefined {
  const text = raw.toString('utf8')
  if (contentType?.startsWith('application/json')) return parseObject(text)
  if (!contentType?.startsWith('application/x-www-form-urlencoded')) return undefined
  const form = new URLSearchParams(text)
  const payload = form.get('payload')
  if (payload !== null) return parseObject(payload)
  return Object.fromEntries(form)
}

/** A JSON object, or `undefined` for any other text. */
export function parseObject(text: string): SlackBody | undefined {
  try {
    const value: unknown = JSON.parse(text)
    // A JSON object that is not an array is a record of unknowns.
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as SlackBody)
      : undefined
  } catch {
    return undefined
  }
}
