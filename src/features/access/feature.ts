import { bindForm, feature } from '../../bot/feature.ts'
import type { AccessDeps } from './change-roles.ts'
import { accessCommands } from './commands.ts'
import { grantForm } from './forms.ts'

/** Roles: `/hc access`, `grant`, and `revoke`. */
export const access = feature({
  name: 'access',
  start({ store, access, config: { guestsCanView } }) {
    const deps: AccessDeps = { grants: store.grants, listAdmins: access.listAdmins, guestsCanView }
    return { commands: accessCommands(deps), forms: [bindForm(grantForm, deps)] }
  },
})
