import type { GrantableRole } from '../../../domain/roles.ts'

/** Who should have a role, as entered in the form. A field that the form couldn't show is undefined. */
export interface RoleFormValues {
  people: readonly string[] | undefined
  everyone: boolean
  /** Selected by ID, or typed as `@handle`. */
  groups: { ids: readonly string[] } | { handles: readonly string[] } | undefined
}

export interface AccessFormValues {
  roles: Readonly<Record<GrantableRole, RoleFormValues>>
  guestsCanView: boolean
  allowedSharedChannels: readonly string[]
  auditRetentionDays: number
}
