import { z } from 'zod'
import type { Http } from './http.ts'
import { json } from './read.ts'
import { asDate, asText, loose, readEach } from './scalars.ts'

/** An active connection token. `createdAt` reads the service's zoneless text as UTC; the text is kept beside it. */
export interface ActiveToken {
  readonly token: string
  readonly createdAt: Date | undefined
  readonly createdAtText: string
}

/** A token just made; `accountId` is '' when the service gave none. */
export interface GeneratedToken {
  readonly token: string
  readonly accountId: string
}

/** One row of the list: the token itself is under `data`. */
export const ActiveToken = z.compile(
  z.object({ data: z.string().min(1), created_at: loose }).transform(
    (row): ActiveToken => ({
      token: row.data,
      createdAt: asDate(row.created_at),
      createdAtText: asText(row.created_at) ?? '',
    }),
  ),
)

export const GeneratedToken = z.compile(
  z
    .object({ token: z.string().min(1), account_id: loose })
    .transform((row): GeneratedToken => ({ token: row.token, accountId: asText(row.account_id) ?? '' })),
)

export const TokensAnswer = z.compile(
  z.object({ data: z.array(z.unknown()) }).transform(({ data }) => readEach(ActiveToken, data).read),
)

/** A generation that shows no readable token is unreadable as a whole: a token exists that nobody will see again. */
export const GeneratedAnswer = z.compile(
  z
    .object({ data: z.array(z.unknown()) })
    .transform(({ data }) => readEach(GeneratedToken, data).read)
    .pipe(
      z.custom<GeneratedToken[]>((tokens) => Array.isArray(tokens) && tokens.length > 0, 'no token in it'),
    ),
)

export type Tokens = ReturnType<typeof tokens>

/** The calls on connection tokens. Each throws ApiError, and takes a signal that ends the wait as 'cancelled'. */
export function tokens(http: Http) {
  const readList = json(TokensAnswer)
  const readGenerated = json(GeneratedAnswer)
  return {
    list: async (signal?: AbortSignal): Promise<readonly ActiveToken[]> =>
      http.get('/auth/v1/tokens', { read: readList, signal }),

    /** Makes a new token. The interface shows no body for this request: an empty object is sent. */
    generate: async (signal?: AbortSignal): Promise<readonly GeneratedToken[]> =>
      http.send('POST', '/auth/v1/tokens', { read: readGenerated, body: '{}', signal }),
  }
}
