import type { FastifyRequest } from 'fastify'
import { readFields } from '../http/body.ts'
import type { Fields } from '../protocol/json.ts'
import type { Args } from './method.ts'

/** A call of the Web API, before its token and method are checked. */
interface WebRequest {
  /** Undefined if the body can't be read. */
  args: Args | undefined
  token: string
}

/** Reads a request to `/api/…`. Its token is in the `Authorization` header, where Slack's clients send it. */
export function readWebRequest(request: FastifyRequest<{ Querystring: Fields }>): WebRequest {
  const { authorization = '', 'content-type': contentType = '' } = request.headers
  const fields = readFields(contentType, request.body)
  return {
    args: fields && { ...request.query, ...fields },
    token: /^Bearer\s+(\S+)$/i.exec(authorization)?.[1] ?? '',
  }
}
