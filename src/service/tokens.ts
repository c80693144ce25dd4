import { z } from 'zod'
import { type Decode, decodeList, Unreadable } from './decode.ts'
import { type Http, path } from './http.ts'
import { readObject, readRows } from './lenient.ts'
import { compileOnUse, id, text } from './schema.ts'

/** An active connection token. */
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

/** A new token. */
export interface GeneratedToken {
  readonly token: string
}

const GeneratedTokenSchema = compileOnUse(z.object({ token: id }))

/** The tokens that could be parsed, and how many couldn't. */
export interface ActiveTokens {
  readonly tokens: readonly ActiveToken[]
  readonly unreadable: number
}

/** Decodes without redaction, so that the caller can find its own token. Never show the result. */
const unmasked =
  <T>(decode: Decode<T>): Decode<T> =>
  (text, { issues }) =>
    decode(text, { issues, redact: (token) => token })

export const decodeActiveTokens = unmasked(
  decodeList((list, context): ActiveTokens => {
    const { rows, lost } = readRows(list, 'data', context, (row, at) =>
      readObject(ActiveTokenSchema, row, at, context),
    )
    return { tokens: rows, unreadable: lost }
  }),
)

/** Throws if the token can't be parsed, because then the service has created a token that nobody knows. */
export const decodeGeneratedTokens = unmasked(
  decodeList((list, context): readonly GeneratedToken[] => {
    const { rows } = readRows(list, 'data', context, (row, at) =>
      readObject(GeneratedTokenSchema, row, at, context),
    )
    if (rows.length === 0) throw new Unreadable('data: no token in it')
    return rows
  }),
)

const TOKENS = path`/auth/v1/tokens`

export type Tokens = ReturnType<typeof tokens>

/** The operations on connection tokens. Each throws ApiError. */
export function tokens(http: Http) {
  return {
    list: async (): Promise<ActiveTokens> => http.get(TOKENS, decodeActiveTokens),

    /** Creates a token. The interface specifies no body for this request, so an empty object is sent. */
    generate: async (): Promise<readonly GeneratedToken[]> =>
      http.send('POST', TOKENS, decodeGeneratedTokens, '{}'),
  }
}
