import { asDate } from './dates.ts'
import type { Fields } from './fields.ts'
import type { Http } from './http.ts'
import { json, Unreadable } from './read.ts'

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
function readActive(row: Fields): ActiveToken | undefined {
  const token = row.requiredText('data')
  if (token === undefined) return undefined
  const createdAtText = row.text('created_at') ?? ''
  return { token, createdAt: asDate(createdAtText), createdAtText }
}

function readGenerated(row: Fields): GeneratedToken | undefined {
  const token = row.requiredText('token')
  return token === undefined ? undefined : { token, accountId: row.text('account_id') ?? '' }
}

/** The tokens that could be read, and how many could not. */
export interface ActiveTokens {
  readonly tokens: readonly ActiveToken[]
  readonly unreadable: number
}

export const readActiveTokens = json((body): ActiveTokens | undefined => {
  const rows = body.requiredObjects('data', readActive)
  return rows && { tokens: rows.items, unreadable: rows.sent - rows.items.length }
})

/** A generation that shows no readable token is unreadable as a whole: a token exists that nobody will see again. */
export const readGeneratedTokens = json((body) => {
  const made = body.requiredObjects('data', readGenerated)?.items
  if (made?.length === 0) throw new Unreadable('data: no token in it')
  return made
})

export type Tokens = ReturnType<typeof tokens>

/** The calls on connection tokens. Each throws ApiError, and takes a signal that ends the wait as 'cancelled'. */
export function tokens(http: Http) {
  return {
    list: async (signal?: AbortSignal): Promise<ActiveTokens> =>
      http.get('/auth/v1/tokens', { read: readActiveTokens, signal }),

    /** Makes a new token. The interface shows no body for this request: an empty object is sent. */
    generate: async (signal?: AbortSignal): Promise<readonly GeneratedToken[]> =>
      http.send('POST', '/auth/v1/tokens', { read: readGeneratedTokens, body: '{}', signal }),
  }
}
