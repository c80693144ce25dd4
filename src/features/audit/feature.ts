import { feature } from '../../bot/feature.ts'
import type { Topic } from '../../bot/routes/routes.ts'
import { auditCommand } from './commands.ts'

const TOPIC: Topic = {
  command: 'hc',
  about: /^(?:who|audit\w*|logs?|changes?|changed|edited|created|deleted|removed|granted|revoked)$/i,
  buttons: [
    { label: 'Who did what', line: '/hc audit' },
    { label: 'Who may do what', line: '/hc access' },
  ],
}

/** `/hc audit` shows admins who did what. */
export const audit = feature({
  name: 'audit',
  start: ({ store: { audit }, routes }) => ({ topics: [TOPIC], commands: [auditCommand(audit, routes)] }),
})
