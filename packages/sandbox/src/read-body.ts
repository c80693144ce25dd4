import type { FastifyRequest } from 'fastify'
import { isObject, type JsonObject } from './fields.ts'
import { HttpError } from './http-error.ts'

/** The maximum body size for the API. */
export const MAX_BYTES = 1024 * 1024

/** The maximum body size for a control, which may store a deliberately huge threat event. */
export const MAX_CONTROL_BYTES = 64 * 1024 * 1024

/** The bytes of the body, which are empty if there is no body. */
export function getBodyBytes(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
}

const JSON_TYPE = /^application\/(?:vnd\.api\+)?json\s*(?:;|$)/i

/** Parses the body as JSON of any shape. Throws a 400 for another content type and for invalid JSON or UTF-8. */
export function readJson(request: FastifyRequest): unknown {
  const bytes = getBodyBytes(request)
  if (bytes.length === 0) throw new HttpError(400, 'The body is empty; send JSON.')
  if (!JSON_TYPE.test(request.headers['content-type'] ?? ''))
    throw new HttpError(400, 'The content type must be application/json.')
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new HttpError(400, 'The body is not JSON in UTF-8.')
  }
}

export function readJsonObject(request: FastifyRequest): JsonObject {
  const value = readJson(request)
  if (!isObject(value)) throw new HttpError(400, 'The body must be a JSON object.')
  return value
}
