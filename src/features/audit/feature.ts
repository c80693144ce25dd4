import { feature } from '../../bot/feature.ts'
import { auditCommands } from './commands.ts'

/** `/hc audit`: who did what. With `--mine`, everyone sees what they did. */
export const audit = feature({
  name: 'audit',
  start: ({ store, routes }) => ({ commands: auditCommands(store.audit, routes) }),
})
