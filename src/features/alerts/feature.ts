import { feature } from '../../bot/feature.ts'
import { alertCommands } from './commands.ts'
import { addForm, editForm, removeForm } from './forms.ts'

/** `/hc alerts`: who gets email from the service when the status of a check changes. */
export const alerts = feature({
  name: 'alerts',
  start: () => ({ commands: alertCommands, forms: [addForm, editForm, removeForm] }),
})
