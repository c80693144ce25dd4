import { z } from 'zod'
import { decodeList, Unreadable } from './decode.ts'
import { type Http, path } from './http.ts'
import { readObject, readRows } from './lenient.ts'
import { compileOnUse, id, text } from './schema.ts'

export interface ActiveToken {
  readonly token: string
  /** The time as the service wrote it, without a zone, for `parseDate`; '' if it sent none. */
  readonly createdAt: string
}

/** An item of the list of tokens. Its `data` field is the token itself. */
const ActiveTokenSchema = compileOnUse(
  z
    .object({ data: id, created_at: text })
    .transform(({ data, created_at }): ActiveToken => ({ token: data, createdAt: created_at ?? '' })),
)

const GeneratedTokenSchema = compileOnUse(z.object({ token: id }).transform(({ token }) => token))

/** The tokens that could be parsed, and how many couldn't. Never show them: they aren't redacted, so that the caller finds its own. */
export interface ActiveTokens {
  readonly tokens: readonly ActiveToken[]
  readonly unreadable: number
}

export const decodeActiveTokens = decodeList((list, issues): ActiveTokens => {
  const { rows, lost } = readRows(list, 'data', issues, (row, at) =>
    readObject(ActiveTokenSchema, row, at, issues),
  )
  return { tokens: rows, unreadable: lost }
})

/** Throws if the token can't be parsed, because then the service has created a token that nobody knows. */
export const decodeGeneratedTokens = decodeList((list, issues): readonly string[] => {
  const { rows } = readRows(list, 'data', issues, (row, at) =>
    readObject(GeneratedTokenSchema, row, at, issues),
  )
  if (rows.length === 0) throw new Unreadable('data: no token in it')
  return rows
})

const TOKENS = path('/auth/v1/tokens')

export type Tokens = ReturnType<typeof tokens>

/** The operations on connection tokens. Each throws ApiError. */
export function tokens(http: Http) {
  return {
    list: async (): Promise<ActiveTokens> => http.get(TOKENS, decodeActiveTokens),

    /** Creates a token. The interface specifies no body for this request, so an empty object is sent. */
    generate: async (): Promise<readonly string[]> => http.send('POST', TOKENS, decodeGeneratedTokens, '{}'),
  }
}
