import { createSecret, forgetOldest } from './ids.ts'

const CODE_LIFE_MS = 10 * 60_000
const KEPT = 200

export interface Grant {
  /** The workspace or organization that the app is installed in. */
  installId: string
  userId: string
  scopes: readonly string[]
  /** Where its webhook posts, if it requested one. */
  channel: string | undefined
  /** As given to the authorize page; the exchange must use the same. */
  redirectUri: string | undefined
}

export type Codes = ReturnType<typeof createCodes>

/** What a person allowed, until the app exchanges its code: once, within 10 minutes. */
export function createCodes(now: () => Date) {
  const codes = new Map<string, Grant & { bornMs: number; used: boolean }>()
  return {
    issue(grant: Grant): string {
      const code = `${now().getTime()}.${createSecret()}`
      codes.set(code, { ...grant, bornMs: now().getTime(), used: false })
      forgetOldest(codes, KEPT)
      return code
    },

    spend(code: string): Grant | 'invalid_code' | 'code_already_used' {
      const grant = codes.get(code)
      if (!grant || now().getTime() - grant.bornMs > CODE_LIFE_MS) return 'invalid_code'
      if (grant.used) return 'code_already_used'
      grant.used = true
      return grant
    },
  }
}
