import { feature } from '../../bot/feature.ts'
import { showAudit } from './commands.ts'

/** `/hc audit`: who did what. */
export const audit = feature({
  name: 'audit',
  start: ({ store, routes }) => ({ commands: [showAudit(store.audit, routes)] }),
})
