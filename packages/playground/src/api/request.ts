import type { FastifyRequest } from 'fastify'
import { type BodyError, isJsonType, readBody } from '../http/body.ts'
import type { Fields } from '../protocol/json.ts'
import type { Args } from './method.ts'

/** The URL's arguments. Of an argument that occurs several times, only the last value counts, as in a form. */
export type Query = Record<string, string | string[]>

/** A call of the Web API, before its token and method are checked. */
export interface WebRequest {
  args: Args
  token: string
  /** Slack's code for a request that can't be read. */
  error: BodyError | 'invalid_array_arg' | 'invalid_arg_name' | 'invalid_auth' | undefined
  /** For the inspector. */
  notes: string[]
}

const BODY_NOTE = "The body isn't a form or a JSON object, or doesn't match its content type."

const lastValues = (query: Query): Fields =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value].flat().at(-1) ?? '']))

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

/** The errors `invalid_array_arg` and `invalid_arg_name` are on each page of https://docs.slack.dev/reference/methods (November 2026). */
function findNameError(names: readonly string[]): 'invalid_array_arg' | 'invalid_arg_name' | undefined {
  if (names.some((name) => /\[.*\]$/s.test(name))) return 'invalid_array_arg'
  return names.some((name) => !/^\w{1,255}$/.test(name)) ? 'invalid_arg_name' : undefined
}

interface FoundToken {
  token: string
  error?: 'invalid_auth'
  note?: string
}

/**
 * Slack reads the token from the `Authorization` header or a form, but not from JSON (https://docs.slack.dev/apis/web-api, November 2026).
 * To a token in the URL, it returns `invalid_auth` (HubSpot/slack-client#215, November 2026).
 */
function findToken(authorization: string, query: Fields, body: Fields, isJson: boolean): FoundToken {
  const bearer = /^Bearer\s+(\S+)$/i.exec(authorization)?.[1]
  if (bearer !== undefined) return { token: bearer }
  if (typeof body.token === 'string' && !isJson) return { token: body.token }
  const note = 'Slack reads tokens only from the Authorization header or a form.'
  if (typeof query.token === 'string') return { token: '', error: 'invalid_auth', note }
  return { token: '', ...(body.token !== undefined && { note }) }
}

/** Reads a request to `/api/…`. */
export function readWebRequest(request: FastifyRequest<{ Querystring: Query }>): WebRequest {
  const { authorization = '', 'content-type': contentType = '' } = request.headers
  const body = readBody(contentType, request.body)
  const [fields, bodyError] = typeof body === 'string' ? [{}, body] : [body, undefined]
  const isJson = isJsonType(contentType)
  const query = lastValues(request.query)
  const { token, error, note } = findToken(authorization, query, fields, isJson)
  const { token: _token, ...args } = { ...readBasicCredentials(authorization), ...query, ...fields }
  const nameError = findNameError(Object.keys(args))
  return {
    args,
    token,
    error: bodyError ?? nameError ?? error,
    notes: [...(bodyError ? [BODY_NOTE] : []), ...(note ? [note] : [])],
  }
}
