import type { GrantableRole } from '../../../domain/roles.ts'

/** Who should have a role, as entered in the form. A field is undefined if the form couldn't show it. */
export interface RoleFormValues {
  people: readonly string[] | undefined
  everyone: boolean
  /** IDs if they were selected from a menu, or handles if they were typed. */
  groups: { ids: readonly string[] } | { handles: readonly string[] } | undefined
}

export interface AccessFormValues {
  roles: Readonly<Record<GrantableRole, RoleFormValues>>
  guestsCanView: boolean
  allowedSharedChannels: readonly string[]
  auditRetentionDays: number
}
