import { feature } from '../../bot/feature.ts'
import { addAlert, editAlert, listAlerts, removeAlert, showRecipients } from './commands.ts'
import { addForm, editForm, removeForm } from './forms.ts'

/** `/hc alerts`: whom the service mails when a check changes. */
export const alerts = feature({
  name: 'alerts',
  start: () => ({
    commands: [listAlerts, addAlert, editAlert, showRecipients, removeAlert],
    forms: [addForm, editForm, removeForm],
  }),
})
