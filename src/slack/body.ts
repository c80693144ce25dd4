import type { IncomingMessage } from 'node:http'

/** Slack's largest bodies (a modal full of text) are well under this; more is refused before it is held. */
const MAX_BYTES = 4 * 1024 * 1024

/** The raw bytes of a request, or `undefined` when there are more than 4 MiB of them. */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) return undefined
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BYTES) return undefined
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
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

function parseObject(text: string): SlackBody | undefined {
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
