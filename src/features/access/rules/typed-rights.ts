import type { GivenRole } from '../../../domain/roles.ts'

/** Who is to have a role, as typed; undefined where the form could not ask. */
export interface TypedHolders {
  people: readonly string[] | undefined
  everyone: boolean
  /** Chosen by id, or typed as `@handle`. */
  groups: { ids: readonly string[] } | { handles: readonly string[] } | undefined
}

export interface TypedRights {
  roles: Readonly<Record<GivenRole, TypedHolders>>
  guestsMayLook: boolean
  openChannels: readonly string[]
  keptDays: number
}
