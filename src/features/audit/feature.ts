import { feature } from '../../bot/feature.ts'
import { auditCommands } from './commands.ts'

/** `/hc audit` shows admins who did what. With `--mine`, anyone can see their own activity. */
export const audit = feature({
  name: 'audit',
  start: ({ store: { audit }, routes }) => ({ commands: auditCommands(audit, routes) }),
})
