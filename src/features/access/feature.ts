import { feature } from '../../bot/feature.ts'
import { accessCommands } from './commands.ts'

/** Roles: `/hc access`, `grant`, and `revoke`. */
export const access = feature({
  name: 'access',
  start({ store, access, config: { guestsCanView } }) {
    return {
      commands: accessCommands({ grants: store.grants, listAdmins: access.listAdmins, guestsCanView }),
    }
  },
})
