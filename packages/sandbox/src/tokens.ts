import { randomBytes } from 'node:crypto'
import type { Database } from './database.ts'
import type { Request, Server } from './http.ts'
import { HttpError } from './http-error.ts'
import { getBodyBytes, readJson } from './read-body.ts'

export interface TokenStore {
  /** Throws a 401 unless the request has `Authorization: Bearer` with a token of this environment. */
  check(request: Request): void
  addRoutes(server: Server): void
}

/** Formats a time as the service does in its token list: `YYYY-MM-DD HH:MM:SS` in UTC, without a time zone. */
const formatTime = (date: Date): string => date.toISOString().slice(0, 19).replace('T', ' ')

/** Accepts the token that the sandbox was started with, and all tokens generated since the data file was created. */
export function createTokenStore(
  db: Database,
  environment: string,
  initial: { token: string; createdAt: Date; accountId: string },
): TokenStore {
  const isValid = (token: string): boolean =>
    token === initial.token ||
    db.get('SELECT 1 FROM token WHERE environment = ? AND token = ?', [environment, token]) !== undefined
  return {
    check({ headers: { authorization } }) {
      const [, token] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
      if (token === undefined)
        throw new HttpError(401, 'A bearer token is needed: Authorization: Bearer <CONNECTION_TOKEN>.')
      if (!isValid(token)) throw new HttpError(401, 'The token is not valid.')
    },
    addRoutes(server) {
      server.get('/auth/v1/tokens', async () => {
        const generated = db.all<{ data: string; created_at: string }>(
          'SELECT token AS data, created_at FROM token WHERE environment = ? ORDER BY created_at, token',
          [environment],
        )
        return {
          message: 'OK',
          data: [{ data: initial.token, created_at: formatTime(initial.createdAt) }, ...generated],
        }
      })

      server.post('/auth/v1/tokens', async (request) => {
        // The API documents no request body, so both an empty body and any JSON are accepted.
        if (getBodyBytes(request).length > 0) readJson(request)
        const token = randomBytes(24).toString('base64url')
        db.run('INSERT INTO token (environment, token, created_at) VALUES (?, ?, ?)', [
          environment,
          token,
          formatTime(new Date()),
        ])
        return { message: 'OK', data: [{ token, account_id: initial.accountId }] }
      })
    },
  }
}
