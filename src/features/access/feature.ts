import { feature } from '../../bot/feature.ts'
import type { Topic } from '../../bot/routes/routes.ts'
import { accessCommands } from './commands.ts'

const TOPIC: Topic = {
  command: 'hc',
  about: /^(?:who|access|roles?|rights?|permi\w+|allow\w*|may|admins?|operators?)$/i,
  buttons: [{ label: 'Who may do what', line: '/hc access' }],
}

/** Roles: `/hc access`, `grant`, and `revoke`. */
export const access = feature({
  name: 'access',
  start({ store, access, config: { guestsCanView } }) {
    return {
      topics: [TOPIC],
      commands: accessCommands({ grants: store.grants, listAdmins: access.listAdmins, guestsCanView }),
    }
  },
})
