import { createSecret, deleteOldest } from '../protocol/ids.ts'

const CODE_LIFETIME_MS = 10 * 60_000
const MAX_CODES = 200

export interface Grant {
  /** The workspace or organization that the app is installed in. */
  teamId: string
  userId: string
  scopes: readonly string[]
  /** The `redirect_uri` passed to the authorize page. The app must pass the same one when it exchanges the code. */
  redirectUri: string | undefined
}

export type Codes = ReturnType<typeof createCodes>

/** The OAuth codes that the playground issues when people allow the app. The app can exchange each code once, within 10 minutes. */
export function createCodes(now: () => Date) {
  const codes = new Map<string, Grant & { issuedMs: number; used: boolean }>()
  return {
    issue(grant: Grant): string {
      const code = `${now().getTime()}.${createSecret()}`
      codes.set(code, { ...grant, issuedMs: now().getTime(), used: false })
      deleteOldest(codes, MAX_CODES)
      return code
    },

    redeem(code: string): Grant | 'invalid_code' | 'code_already_used' {
      const grant = codes.get(code)
      if (!grant || now().getTime() - grant.issuedMs > CODE_LIFETIME_MS) return 'invalid_code'
      if (grant.used) return 'code_already_used'
      grant.used = true
      return grant
    },
  }
}
