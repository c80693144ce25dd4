import { feature } from '../../bot/feature.ts'
import { auditCommand } from './commands.ts'

/** `/hc audit` shows admins who did what. */
export const audit = feature({
  name: 'audit',
  start: ({ store: { audit }, routes }) => ({ commands: [auditCommand(audit, routes)] }),
})
