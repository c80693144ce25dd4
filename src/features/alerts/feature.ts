import { feature } from '../../bot/feature.ts'
import { bindForm } from '../../bot/forms/form.ts'
import * as ports from '../../bot/ports.ts'
import { alertCommands } from './commands.ts'
import { addForm, editForm, removeForm } from './forms.ts'

/** `/hc alerts`: who gets email from the service when the status of a check changes. */
export const alerts = feature({
  name: 'alerts',
  start({ use }) {
    const deps = { changeAlerts: use(ports.changeAlerts) }
    const forms = [bindForm(addForm, deps), bindForm(editForm, deps), bindForm(removeForm, deps)]
    return { commands: alertCommands, forms }
  },
})
