import type { GivenRole } from '../../../domain/roles.ts'

/** Who should have a role, as entered in the form. A field that the form couldn't show is undefined. */
export interface TypedHolders {
  people: readonly string[] | undefined
  everyone: boolean
  /** Selected by ID, or typed as `@handle`. */
  groups: { ids: readonly string[] } | { handles: readonly string[] } | undefined
}

export interface TypedRights {
  roles: Readonly<Record<GivenRole, TypedHolders>>
  guestsMayLook: boolean
  openChannels: readonly string[]
  keptDays: number
}
