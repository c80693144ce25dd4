import type { FastifyRequest } from 'fastify'
import { readFields } from '../http/body.ts'
import type { Fields } from '../protocol/json.ts'
import type { Args } from './method.ts'

/** A call of the Web API, before its token and method are checked. */
export interface WebRequest {
  /** Undefined if the body can't be read. */
  args: Args | undefined
  token: string
}

/**
 * Reads the app's client ID and secret from the `Authorization` header, where oauth.v2.access accepts them
 * (https://docs.slack.dev/authentication/installing-with-oauth, November 2026).
 */
function readBasicCredentials(authorization = ''): Fields {
  const [, basic] = /^Basic\s+(\S+)$/i.exec(authorization) ?? []
  const [, client_id, client_secret] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(basic ?? '', 'base64').toString()) ?? []
  return client_id === undefined || client_secret === undefined ? {} : { client_id, client_secret }
}

/** Reads a request to `/api/…`. Its token is in the `Authorization` header, where Slack's clients send it. */
export function readWebRequest(request: FastifyRequest<{ Querystring: Fields }>): WebRequest {
  const { authorization = '', 'content-type': contentType = '' } = request.headers
  const fields = readFields(contentType, request.body)
  return {
    args: fields && { ...readBasicCredentials(authorization), ...request.query, ...fields },
    token: /^Bearer\s+(\S+)$/i.exec(authorization)?.[1] ?? '',
  }
}
