import { type Http, path } from './http.ts'
import { jsonData, type Read, Unreadable } from './read.ts'
import { asDate } from './scalars.ts'
import { id, many, mapped, named, or, type ReadBy, rows, shape, text } from './shape.ts'

/** An active connection token, which the list has under `data`. */
const ActiveToken = mapped(
  shape({ token: named('data', id), createdAtText: named('created_at', or(text, '')) }),
  (row) => ({ ...row, createdAt: asDate(row.createdAtText) }),
)

/** `createdAt` reads the service's zoneless text as UTC; the text is kept beside it. */
export type ActiveToken = ReadBy<typeof ActiveToken>

const GeneratedToken = shape({ token: id, accountId: or(text, '') })

/** A token just made; `accountId` is '' when the service gave none. */
export type GeneratedToken = ReadBy<typeof GeneratedToken>

/** The tokens that could be read, and how many could not. */
export interface ActiveTokens {
  readonly tokens: readonly ActiveToken[]
  readonly unreadable: number
}

/** Which of the tokens is the one that asks is for whoever asked to say; nobody is shown one. */
const unhidden =
  <T>(read: Read<T>): Read<T> =>
  (text, { unread }) =>
    read(text, { unread, hide: (token) => token })

export const readActiveTokens = unhidden(
  jsonData(
    mapped(rows(ActiveToken), ({ items, lost }): ActiveTokens => ({ tokens: items, unreadable: lost })),
  ),
)

/** A generation that shows no readable token is unreadable as a whole: a token exists that nobody will see again. */
export const readGeneratedTokens = unhidden(
  jsonData(
    mapped(many(GeneratedToken), (made) => {
      if (made.length === 0) throw new Unreadable('data: no token in it')
      return made
    }),
  ),
)

const TOKENS = path`/auth/v1/tokens`

export type Tokens = ReturnType<typeof tokens>

/** The calls on connection tokens. Each throws ApiError, and takes a signal that ends the wait as 'cancelled'. */
export function tokens(http: Http) {
  return {
    list: async (signal?: AbortSignal): Promise<ActiveTokens> => http.get(TOKENS, readActiveTokens, signal),

    /** Makes a new token. The interface shows no body for this request: an empty object is sent. */
    generate: async (signal?: AbortSignal): Promise<readonly GeneratedToken[]> =>
      http.send('POST', TOKENS, readGeneratedTokens, signal, '{}'),
  }
}
