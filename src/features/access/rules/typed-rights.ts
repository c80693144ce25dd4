import type { GivenRole } from '../../../domain/roles.ts'

/** Who should have a role, as typed; undefined if the form couldn't ask. */
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
